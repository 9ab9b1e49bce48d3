"""The one writer of result tables: a tidy frame becomes csv, Markdown, LaTeX and HTML.

The csv carries every column under its plain name with full precision, for programs; the others
carry the chosen columns with headings, units and rounded numbers, for readers.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from fbftl.ground.files import write_text


@dataclass(frozen=True)
class Column:
    """How one column of a frame is printed.

    name: column of the frame, and its name in the csv.
    unit: printed in parentheses after the heading.
    format: a format string for one value, or a function that prints it.
    width: width of a column of prose in LaTeX, e.g. `6cm`; without one the column does not wrap.
    """

    name: str
    heading: str
    unit: str = ""
    format: str | Callable[[Any], str] = "{}"
    width: str = ""

    @property
    def title(self) -> str:
        """Heading with unit."""
        return f"{self.heading} ({self.unit})" if self.unit else self.heading

    def print(self, value: Any) -> str:
        """Return one value as a reader sees it; a missing one is empty."""
        if pd.isna(value):
            return ""
        return self.format(value) if callable(self.format) else self.format.format(value)


PREFIXES = ("", "k", "M", "G", "T", "P", "E")
"""SI prefixes by powers of a thousand."""


def prefixed(value: float) -> str:
    """Return a count (at least 0) with three digits and an SI prefix, as in 11.8 M."""
    rounded = float(f"{value:.3g}")
    thousands = int(math.log10(rounded) // 3) if rounded >= 1 else 0
    power = min(thousands, len(PREFIXES) - 1)
    return f"{rounded / 1000**power:g} {PREFIXES[power]}".rstrip()


def ratio(value: float) -> str:
    """Return a ratio as a whole number from 10 on, with two digits below, as in 0.70 and 3.2."""
    exponent = int(f"{value:.1e}".partition("e")[2])
    return f"{value:,.0f}" if exponent > 0 or value == 0 else f"{value:.{1 - exponent}f}"


def write_table(csv: str | Path, frame: pd.DataFrame, columns: Sequence[Column]) -> None:
    """Write a frame as csv, and beside it as Markdown, LaTeX (booktabs) and HTML; bytes repeat.

    Args:
        csv: path of the csv; the other files differ only in their suffix.
        frame: one row per observation.
        columns: what readers see, in this order; the csv always has all columns.

    Raises:
        KeyError: if a column is not in the frame.
    """
    write_for_readers(csv, frame, columns)
    write_text(csv, frame.to_csv(index=False, lineterminator="\n"))


def write_for_readers(csv: str | Path, frame: pd.DataFrame, columns: Sequence[Column]) -> None:
    """Write Markdown, LaTeX and HTML only, beside a csv whose rows are arranged otherwise.

    Raises:
        KeyError: if a column is not in the frame.
    """
    csv = Path(csv)
    shown = [[column.print(value) for value in frame[column.name]] for column in columns]
    rows = [list(row) for row in zip(*shown, strict=True)]
    numeric = [pd.api.types.is_numeric_dtype(frame[column.name]) for column in columns]
    write_text(csv.with_suffix(".md"), _markdown(columns, rows, numeric))
    write_text(csv.with_suffix(".tex"), _latex(columns, rows, numeric))
    write_text(csv.with_suffix(".html"), _html(csv.stem, columns, rows, numeric))


def _markdown(columns: Sequence[Column], rows: list[list[str]], numeric: list[bool]) -> str:
    """Return a pipe table, numbers to the right."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    rule = ["---:" if is_number else "---" for is_number in numeric]
    head = [escape_markdown(column.title) for column in columns]
    body = [line([escape_markdown(cell) for cell in row]) for row in rows]
    return "\n".join([line(head), line(rule), *body]) + "\n"


def _latex(columns: Sequence[Column], rows: list[list[str]], numeric: list[bool]) -> str:
    """Return a booktabs tabular, numbers to the right and prose in paragraphs."""
    layout = "".join(
        f"p{{{column.width}}}" if column.width else "r" if is_number else "l"
        for column, is_number in zip(columns, numeric, strict=True)
    )

    def line(cells: Sequence[str]) -> str:
        return " & ".join(cells) + r" \\"

    return "\n".join(
        [
            rf"\begin{{tabular}}{{{layout}}}",
            r"\toprule",
            line([escape_latex(column.title) for column in columns]),
            r"\midrule",
            *(line([escape_latex(cell) for cell in row]) for row in rows),
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


STYLE = """\
body { font: 14px/1.45 system-ui, sans-serif; color: #222; margin: 1rem; }
table { border-collapse: separate; border-spacing: 0; width: max-content; }
th, td { padding: .3rem .7rem; border-bottom: 1px solid #ddd; max-width: 14rem; }
th { background: #f3f3f3; text-align: left; vertical-align: bottom; position: sticky; top: 0; }
td { background: white; vertical-align: top; overflow-wrap: anywhere; }
th.number { max-width: 7rem; }
td.number { white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.prose { min-width: 18rem; max-width: 24rem; }
tr > :first-child { position: sticky; left: 0; border-right: 1px solid #ddd; }
.verdict { position: sticky; right: 0; border-left: 1px solid #ddd; }
th:first-child, th.verdict { z-index: 1; }
@media (max-width: 40rem) { tr > :first-child { left: auto; } }
"""
"""Headings, first column and verdicts stay in sight, however long or wide the table."""


def _mark(column: Column, is_number: bool) -> str:
    """Return the class attribute of a column's cells in HTML, or nothing."""
    if column.name == "verdict":
        return ' class="verdict"'
    if is_number:
        return ' class="number"'
    return ' class="prose"' if column.width else ""


def _html(title: str, columns: Sequence[Column], rows: list[list[str]], numeric: list[bool]) -> str:
    """Return a page of its own that needs nothing else, numbers to the right."""
    marks = [_mark(*column) for column in zip(columns, numeric, strict=True)]

    def line(tag: str, cells: Sequence[str]) -> str:
        marked = zip(marks, cells, strict=True)
        return (
            "<tr>"
            + "".join(f"<{tag}{mark}>{escape(cell)}</{tag}>" for mark, cell in marked)
            + "</tr>"
        )

    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{STYLE}</style></head>",
            "<body><table>",
            f"<thead>{line('th', [column.title for column in columns])}</thead>",
            "<tbody>",
            *(line("td", row) for row in rows),
            "</tbody></table></body></html>",
            "",
        ]
    )


MARKDOWN = {"\\": "\\\\", "|": "\\|", "*": "\\*", "_": "\\_", "`": "\\`", "[": "\\[", "]": "\\]"}
MARKDOWN |= {"&": "&amp;", "<": "&lt;", ">": "&gt;"}

LATEX = {char: "\\" + char for char in "&%$#_{}"}
LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
LATEX |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
LATEX |= {"−": "$-$", "×": r"$\times$", "±": r"$\pm$", "≥": r"$\geq$", "≤": r"$\leq$"}
LATEX |= {"ε": r"$\epsilon$", "σ": r"$\sigma$", "δ": r"$\delta$", "Σ": r"$\Sigma$", "√": r"$\surd$"}
LATEX |= {
    "⌈": r"$\lceil$",
    "⌉": r"$\rceil$",
    "⁻": r"$^{-}$",
    "→": r"$\rightarrow$",
    "†": r"$\dagger$",
}


def escape_markdown(text: str) -> str:
    """Return text that Markdown and HTML print as it is, on one line."""
    return _replace(text, MARKDOWN)


def escape_latex(text: str) -> str:
    """Return text that LaTeX prints as it is, on one line."""
    return _replace(text, LATEX)


def _replace(text: str, replacements: dict[str, str]) -> str:
    """Return text on one line, every special character replaced once."""
    return "".join(replacements.get(char, char) for char in re.sub(r"\s+", " ", text).strip())
