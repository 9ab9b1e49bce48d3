"""Columns that tables share: their headings, their cells, and that no table has its own."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SHARED = {"seeds", "diverged", "verdict", "reason"}
"""Columns that mean the same in every table, and so have one heading."""


def columns_in(path: Path) -> Iterator[tuple[str, str]]:
    """Yield name and heading of every column that a module writes out."""
    text = path.read_text(encoding="utf-8")
    if "Column(" not in text and "with_spread(" not in text:
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Column", "with_spread"):
            texts = [arg.value for arg in node.args[:2] if isinstance(arg, ast.Constant)]
            if len(texts) == 2:
                yield texts[0], texts[1]


@pytest.fixture(scope="module")
def columns_by_file(root: Path) -> dict[Path, list[tuple[str, str]]]:
    """Names and headings that are written out, by the file of a script or a module."""
    paths = sorted((root / "scripts").rglob("*.py"))
    found = {path: list(columns_in(path)) for path in paths}
    assert sum(map(len, found.values())) > 100
    return found


def test_headings_are_in_sentence_case(columns_by_file):
    """A symbol, such as n or n_r, keeps its case."""
    lower = [
        f"{path.name}: {heading}"
        for path, written in columns_by_file.items()
        for _, heading in written
        if re.match(r"[a-z]{2}", heading)
    ]
    assert not lower


def test_shared_columns_are_written_once(columns_by_file):
    again = [
        f"{path.name}: {name}"
        for path, written in columns_by_file.items()
        for name, heading in written
        if path.name != "columns.py" and (name in SHARED or (name, heading) == ("label", "Method"))
    ]
    assert not again
