"""The way of one number is as `docs/architecture.md` tells it: its functions call each other so."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| `(scripts/[\w/]+\.py)` \| `(\w+)` \|", re.MULTILINE)


def page_steps() -> list[tuple[str, str]]:
    """Return file and function of every step on the page."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    return ROW.findall(page.partition("## Tracing one number")[2].partition("\n## ")[0])


def test_every_function_on_the_way_is_there():
    for file, function in page_steps():
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert function in names, file
