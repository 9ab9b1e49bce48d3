"""The code is told in one way: fields where CONTRIBUTING.md says, and a word for one thing only."""

import ast
import re
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


def elsewhere(source: str) -> list[str]:
    """Return the classes that tell of a field under it, or below a heading of their docstring."""
    classes = []
    for node in ast.walk(ast.parse(source)):
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
def sources(root: Path) -> dict[Path, str]:
    """Text of every script and module by its path."""
    return {path: path.read_text(encoding="utf-8") for path in (root / "scripts").rglob("*.py")}


def test_fields_are_told_in_the_docstring_of_their_class(sources):
    assert [(path.name, name) for path, text in sources.items() for name in elsewhere(text)] == []


def test_a_name_of_a_class_says_one_thing(sources):
    named = Counter(
        node.name
        for path, text in sources.items()
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, times in named.items() if times > 1] == []


LEANING = re.compile(r"^(return )?the same\b|^likewise\b", re.IGNORECASE)
"""Beginnings of what only its neighbour explains."""


def meanings(source: str) -> list[str]:
    """Return how each bare string of a source begins, and each meaning in its lists."""
    texts = [node.value.value for node in ast.walk(ast.parse(source)) if _text(node)]
    return [text.strip() for text in texts] + [
        entry
        for text in texts
        for entry in re.findall(r"^ *\w+(?:, \w+)*: (.*)", text, re.MULTILINE)
    ]


def test_no_docstring_leans_on_its_neighbour(sources):
    leaning = [
        (path.name, part)
        for path, text in sources.items()
        for part in meanings(text)
        if LEANING.search(part)
    ]
    assert leaning == []
