"""The library's layers are those of docs/architecture.md, and it knows nothing of Snakemake."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from fbftl.code import imported_files, imports

ROW = re.compile(r"^\| (\w+) \| [^|]+ \| ((?:`\w+` ?)+)\|$", re.MULTILINE)


@pytest.fixture(scope="module")
def layers(root: Path) -> dict[str, int]:
    """Number of the layer, from the ground up, by module."""
    rows = ROW.findall((root / "docs" / "architecture.md").read_text(encoding="utf-8"))
    assert len(rows) > 5
    listed = [(module, n) for n, (_, names) in enumerate(rows) for module in names.split()]
    assert len({module for module, _ in listed}) == len(listed), "a module is in two layers"
    return {module.strip("`"): number for module, number in listed}


@pytest.fixture(scope="module")
def files(root: Path) -> list[Path]:
    """Every module file of the library but its root."""
    package = root / "scripts" / "fbftl"
    return [path for path in package.rglob("*.py") if path != package / "__init__.py"]


def module(path: Path) -> str:
    """Return the module or package right below fbftl that a file belongs to."""
    inside = path.parts[path.parts.index("fbftl") + 1 :]
    return inside[0].removesuffix(".py")


def uses(path: Path, root: Path) -> set[Path]:
    """Return the library files that a file imports, the root package left out."""
    scripts = root / "scripts"
    found = {used for name in imports(path, scripts) for used in imported_files(name, scripts)}
    return found - {scripts / "fbftl" / "__init__.py", path}


def test_every_module_has_a_layer(layers, files):
    assert {module(path) for path in files} == layers.keys()


def test_no_module_imports_from_a_layer_above_its_own(layers, files, root):
    upward = [
        f"{module(path)} imports {module(used)}"
        for path in files
        for used in uses(path, root)
        if layers[module(used)] > layers[module(path)]
    ]
    assert upward == []


def test_modules_import_each_other_one_way(files, root):
    graph: dict[str, set[str]] = {}
    for path in files:
        used = {module(other) for other in uses(path, root)} - {module(path)}
        graph.setdefault(module(path), set()).update(used)
    TopologicalSorter(graph).prepare()


def test_the_library_knows_nothing_of_snakemake(files):
    for path in files:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {
            name.split(".")[0]
            for node in ast.walk(tree)
            for name in (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
        }
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert "snakemake" not in imported | names, path
