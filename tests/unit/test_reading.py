"""The code is told in one way: fields where CONTRIBUTING.md says, and a word for one thing only."""

import ast
from collections import Counter
from pathlib import Path

import pytest

FIELD = (ast.AnnAssign, ast.Assign)


def _text(node: ast.stmt) -> bool:
    """Tell whether a statement is a bare string."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def elsewhere(tree: ast.Module) -> list[str]:
    """Return the classes that tell of a field under it, or below a heading of their docstring."""
    classes = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        under = any(
            isinstance(field, FIELD) and _text(after)
            for field, after in zip(node.body, node.body[1:], strict=False)
        )
        lines = (ast.get_docstring(node) or "").splitlines()
        if under or {"Attributes:", "Fields:", "Attributes", "Parameters"} & set(lines):
            classes.append(node.name)
    return classes


@pytest.fixture(scope="module")
def trees(root: Path) -> dict[Path, ast.Module]:
    """Syntax tree of every script and module by its path."""
    paths = (root / "scripts").rglob("*.py")
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def test_fields_are_told_in_the_docstring_of_their_class(trees):
    assert [(path.name, name) for path, tree in trees.items() for name in elsewhere(tree)] == []


def test_a_name_of_a_class_says_one_thing(trees):
    named = Counter(
        node.name
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, times in named.items() if times > 1] == []
