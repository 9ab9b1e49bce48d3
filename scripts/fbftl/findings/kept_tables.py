"""Tables of kept results line by line: a row of the csv with its line in the Markdown beside it."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from fbftl.findings.front import rows
from fbftl.findings.tables import Column, escape_markdown
from fbftl.ground.errors import UserError
from fbftl.ground.files import write_text

HEAD = 2
"""Lines of a table in Markdown before its rows."""

BETWEEN = " | "
"""What stands between two cells of Markdown; a bar in a cell has a backslash before it."""


@dataclass(frozen=True)
class Line:
    """A row of a table.

    cells: by column.
    csv, markdown: its lines, with their ends.
    """

    cells: dict[str, str]
    csv: str
    markdown: str

    def with_cell(self, column: str, title: str, head: str, text: str) -> "Line":
        """Return the row with another text in a cell.

        Args:
            column: of the csv.
            title: of the column in the Markdown.
            head: first line of the Markdown.
            text: of the cell, without a character that Markdown reads otherwise.
        """
        if self.cells[column] == text:
            return self
        cells = self.cells | {column: text}
        shown = _cells(self.markdown)
        shown[_cells(head).index(title)] = text
        return Line(cells, _written(cells), f"| {BETWEEN.join(shown)} |\n")


def line_of(cells: dict[str, str], columns: Iterable[Column]) -> Line:
    """Return a row of some cells.

    Args:
        cells: texts by column of the csv.
        columns: what the Markdown shows of them, in its order.
    """
    shown = (escape_markdown(column.print(_value(cells[column.name]))) for column in columns)
    return Line(cells, _written(cells), f"| {BETWEEN.join(shown)} |\n")


def _value(cell: str) -> str | float | None:
    """Return what a cell holds: a number, a text, or nothing."""
    if not cell:
        return None
    try:
        number = float(cell)
    except ValueError:
        return cell
    return int(number) if number.is_integer() and "." not in cell else number


def _written(cells: dict[str, str]) -> str:
    line = StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells.values())
    return line.getvalue()


def _cells(line: str) -> list[str]:
    """Return the cells of a line of Markdown."""
    return line.removeprefix("| ").removesuffix("\n").removesuffix(" |").split(BETWEEN)


def head_of(table: Path) -> str:
    """Return the first line of the Markdown beside a csv, which has the titles of its columns."""
    return table.with_suffix(".md").read_text(encoding="utf-8").splitlines(keepends=True)[0]


def lines_of(table: Path) -> list[Line]:
    """Return the rows of a table.

    Args:
        table: the csv; its Markdown is beside it.

    Raises:
        UserError: if the two have not as many rows.
    """
    parsed = rows(table)
    lines, markdown = (
        table.with_suffix(suffix).read_text(encoding="utf-8").splitlines(keepends=True)[head:]
        for suffix, head in ((".csv", 1), (".md", HEAD))
    )
    if not len(parsed) == len(lines) == len(markdown):
        raise UserError(f"{table} and its Markdown have not as many rows; renew the whole paper")
    return [Line(*each) for each in zip(parsed, lines, markdown, strict=True)]


def write_lines(table: Path, lines: Iterable[Line]) -> None:
    """Give a table other rows; its heads stay.

    Args:
        table: the csv; its Markdown is beside it.
        lines: of the same columns.
    """
    lines = list(lines)
    markdown = table.with_suffix(".md")
    for path, head, body in (
        (table, 1, [line.csv for line in lines]),
        (markdown, HEAD, [line.markdown for line in lines]),
    ):
        first = path.read_text(encoding="utf-8").splitlines(keepends=True)[:head]
        write_text(path, "".join([*first, *body]))
