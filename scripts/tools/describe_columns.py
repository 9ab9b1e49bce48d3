"""Write `docs/columns.md`, the columns of every table with their headings, from the scripts.

`./run docs` runs it for the site; the page is not kept.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from fbftl.ground.files import write_text

ROOT = Path(__file__).parents[2]

PAGE = ROOT / "docs" / "columns.md"

SHARED = "findings/tables.py"
"""Where columns are that many tables have."""

OF_CLAIMS = {"claim_tables": "claims, claim_parts"}
"""Modules of `papers/` with the columns of tables, by these tables."""

HEAD = """\
# Columns of the tables

A table lies four times below `results/`: its `csv` has the names in \
this font, with full precision; the others have the headings, units and rounded numbers. \
[Reading the results](reading-results.md#what-the-numbers-mean) says what the words mean, and the \
[list of symbols](reading-results.md#symbols) what the symbols are.

- A mean over seeds has its standard deviation beside it, under `±`: `{name}_spread`, of the \
accuracy `spread`.
- An axis that a study varies has a column of its own name, with the values of its grid.
- `downlink_bits` is what clients are sent up to the epoch that counts, under every method without \
the frozen part of the network, which every client is sent once before: `frozen_bits`.
- A `csv` can have more columns than a heading names here: they are what the shown ones are made of.

"""

TAIL = """
Next: [how a verdict follows from these numbers](reading-results.md#verdicts).
"""


def text_of(node: ast.expr) -> str | None:
    """Return a string that stands in the code, None if it is worked out."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def columns(source: str) -> Iterator[tuple[str, str, str]]:
    """Yield name, heading and unit of each column that a script names, in its order.

    Columns whose name or heading is worked out are left out.
    """
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if node.func.id not in ("Column", "with_spread"):
            continue
        given = dict(zip(("name", "heading", "unit"), node.args, strict=False))
        given |= {word.arg: word.value for word in node.keywords if word.arg}
        name, heading, unit = (
            text_of(given[key]) if key in given else "" for key in ("name", "heading", "unit")
        )
        if name and heading:
            yield name, heading, unit or ""


def table(source: str) -> str:
    """Return the columns of a script as a table in Markdown, empty if it names none."""
    lines = [
        f"| `{name}` | {heading} | {unit} |\n".replace("|θ|", r"\|θ\|")
        for name, heading, unit in dict.fromkeys(columns(source))
    ]
    return "| column | heading | unit |\n| --- | --- | --- |\n" + "".join(lines) if lines else ""


def tables_of(stem: str, source: str) -> Iterator[tuple[str, str, str]]:
    """Yield the tables of a script: name, source of its part, first line of its docstring."""
    for part in source.split("\n# --- ")[1:] or [f"{stem}\n{source}"]:
        heading, _, code = part.partition("\n")
        name = heading.rstrip("- ").replace(" ", "_")
        made = {
            node.name: node for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)
        }
        what = ast.get_docstring(made.get(name, next(iter(made.values())))) or ""
        yield name, code, what.splitlines()[0]


def page(scripts: Path) -> str:
    """Return the page, in Markdown.

    Args:
        scripts: the folder of that name.
    """
    shared = table((scripts / "fbftl" / SHARED).read_text(encoding="utf-8"))
    parts = [HEAD, f"## Shared by many tables\n\n{shared}\n"]
    for name, tables in OF_CLAIMS.items():
        source = (scripts / "fbftl" / "papers" / f"{name}.py").read_text(encoding="utf-8")
        what = (ast.get_docstring(ast.parse(source)) or "").splitlines()[0]
        parts.append(f"## {tables}\n\n{what}\n\n{table(source)}\n")
    for path in sorted((scripts / "tables").glob("tabulate_*.py")):
        for name, source, what in tables_of(path.stem[9:], path.read_text(encoding="utf-8")):
            if rows := table(source):
                parts.append(f"## {name}\n\n{what}\n\n{rows}\n")
    return "".join(parts).rstrip("\n") + "\n" + TAIL


if __name__ == "__main__":
    write_text(PAGE, page(ROOT / "scripts"))
