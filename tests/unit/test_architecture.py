"""The library's layers are those of docs/architecture.md, and it knows nothing of Snakemake."""

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from fbftl.ground.code import imported_files, imports

ROW = re.compile(r"^\| `(\w+)` \| ", re.MULTILINE)


@pytest.fixture(scope="module")
def layers(root: Path) -> dict[str, int]:
    """Number of the room, from the ground up, by its name."""
    rooms = ROW.findall((root / "docs" / "architecture.md").read_text(encoding="utf-8"))
    assert len(rooms) > 5
    return {room: number for number, room in enumerate(rooms)}


@pytest.fixture(scope="module")
def files(root: Path) -> list[Path]:
    """Every module file of the library but its root."""
    package = root / "scripts" / "fbftl"
    return [path for path in package.rglob("*.py") if path != package / "__init__.py"]


def room(path: Path) -> str:
    """Return the room that a file belongs to."""
    return path.parts[path.parts.index("fbftl") + 1]


def uses(path: Path, root: Path) -> set[Path]:
    """Return the library files that a file imports, the root package left out."""
    scripts = root / "scripts"
    paths = {used for name in imports(path) for used in imported_files(name, scripts)}
    return paths - {scripts / "fbftl" / "__init__.py", path}


def test_the_rooms_are_those_of_the_page(layers, files):
    assert {room(path) for path in files} == layers.keys()


def below(room_: str, arrows: set[tuple[str, str]]) -> set[str]:
    """Return the rooms that a room's arrows lead to, over others too."""
    direct = {end for start, end in arrows if start == room_}
    return direct.union(*(below(end, arrows) for end in direct))


def test_the_arrows_of_the_page_are_those_that_no_others_imply(files, root):
    page = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    (picture,) = re.findall(r"```mermaid\nflowchart TD\n(.*?)```", page, re.DOTALL)
    drawn = set(re.findall(r"^ *(\w+)(?:\[.*?\])? --> (\w+)", picture, re.MULTILINE))
    arrows = {(room(path), room(used)) for path in files for used in uses(path, root)}
    arrows = {(start, end) for start, end in arrows if start != end}
    rest = {arrow: arrows - {arrow} for arrow in arrows}
    assert drawn == {arrow for arrow in arrows if arrow[1] not in below(arrow[0], rest[arrow])}


def test_no_module_imports_from_a_layer_above_its_own(layers, files, root):
    upward = [
        f"{room(path)} imports {room(used)}"
        for path in files
        for used in uses(path, root)
        if layers[room(used)] > layers[room(path)]
    ]
    assert upward == []


def test_modules_import_each_other_one_way(files, root):
    # A package's own modules are below the names that its __init__ gathers from them.
    graph = {path: {u for u in uses(path, root) if u.name != "__init__.py"} for path in files}
    TopologicalSorter(graph).prepare()


def test_no_file_is_longer_than_a_reader_bears(files, root):
    read = [*files, root / "Snakefile", *(root / "rules").rglob("*.smk")]
    assert [path for path in read if len(path.read_text(encoding="utf-8").splitlines()) > 400] == []


def imported_names(tree: ast.AST) -> Iterator[str]:
    """Yield the modules that a file imports, whoever's they are."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_the_library_knows_nothing_of_snakemake(files):
    for path in files:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {name.split(".")[0] for name in imported_names(tree)}
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert "snakemake" not in imported | names, path


def test_no_script_imports_another(root):
    scripts = {path for path in (root / "scripts").glob("*/*.py") if path.parent.name != "fbftl"}
    names = {path.stem for path in scripts}
    assert len(names) == len(scripts) > 60
    for path in scripts:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert names.isdisjoint(imported_names(tree)), path
