"""The one writer of result tables: a tidy frame becomes csv, Markdown, LaTeX and HTML.

The csv carries every column under its plain name with full precision, for programs. The others
are for readers, with headings, units and rounded numbers: LaTeX carries the chosen columns,
Markdown and HTML at most eight of them.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from fbftl.findings.table_page import PageColumn, PageText, for_readers, table_page
from fbftl.ground.files import write_text

VERDICTS = ("verdict", "overall")
"""Columns that say what was decided."""


@dataclass(frozen=True)
class Column:
    """How one column of a frame is printed.

    name: column of the frame, and its name in the csv.
    unit: printed in parentheses after the heading.
    format: a format string for one value, or a function that prints it.
    width: width of a column of prose in LaTeX, e.g. `6cm`; without one the column does not wrap.
    page: whether the page keeps the column where it has no room for all.
    """

    name: str
    heading: str
    unit: str = ""
    format: str | Callable[[Any], str] = "{}"
    width: str = ""
    page: bool = False

    @property
    def title(self) -> str:
        """Heading with unit."""
        return f"{self.heading} ({self.unit})" if self.unit else self.heading

    def print(self, value: Any) -> str:
        """Return one value as a reader sees it; a missing one is empty."""
        if pd.isna(value):
            return ""
        return self.format(value) if callable(self.format) else self.format.format(value)

    def of_page(self, values: pd.Series) -> PageColumn:
        """Return the column of a page that has some values."""
        return PageColumn(
            self.title,
            list(map(self.print, values)),
            number=pd.api.types.is_numeric_dtype(values),
            prose=bool(self.width),
            verdict=self.name in VERDICTS,
            reason=self.name == "reason",
            detail=not self.page,
        )


PREFIXES = ("", "k", "M", "G", "T", "P", "E")
"""SI prefixes by powers of a thousand."""


def prefixed(value: float) -> str:
    """Return a count (at least 0) with three digits and an SI prefix, as in 11.8 M."""
    rounded = float(f"{value:.3g}")
    thousands = int(math.log10(rounded) // 3) if rounded >= 1 else 0
    power = min(thousands, len(PREFIXES) - 1)
    return f"{rounded / 1000**power:g} {PREFIXES[power]}".rstrip()


def three_digits(value: float) -> str:
    """Return a number with three digits, and whole from 1,000 on, as in 0.25, 41 and 2,560."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def ratio(value: float) -> str:
    """Return a ratio as a whole number from 10 on, with two digits below, as in 0.70 and 3.2."""
    exponent = int(f"{value:.1e}".partition("e")[2])
    return f"{value:,.0f}" if exponent > 0 or value == 0 else f"{value:.{1 - exponent}f}"


@dataclass(frozen=True)
class ResultTable:
    """A table as the csv has it, and as readers see it.

    frame: one row per observation, with every column; the csv.
    columns: what readers see, in this order.
    arranged: the rows that readers see, where these are not the csv's.
    """

    frame: pd.DataFrame
    columns: Sequence[Column]
    arranged: pd.DataFrame | None = None

    def write(self, csv: str | Path, text: PageText = PageText()) -> None:  # noqa: B008
        """Write the csv, and beside it Markdown, LaTeX (booktabs) and HTML; bytes repeat.

        Args:
            csv: its path; the other files differ only in their suffix.
            text: title and caption of the page.

        Raises:
            KeyError: if a column is not in the frame.
        """
        csv = Path(csv)
        frame = self.frame if self.arranged is None else self.arranged
        page = [column.of_page(frame[column.name]) for column in self.columns]
        write_text(csv, self.frame.to_csv(index=False, lineterminator="\n"))
        write_text(csv.with_suffix(".md"), markdown(page))
        write_text(csv.with_suffix(".tex"), _latex(self.columns, page))
        write_text(csv.with_suffix(".html"), table_page(csv, text, page))


def markdown(columns: Sequence[PageColumn]) -> str:
    """Return a pipe table of a page's columns, numbers to the right, what rows share below it."""
    table, in_every_row = for_readers(columns)

    def cell(column: PageColumn, row: int) -> str:
        below = column.below[row] if column.below else ""
        return escape_markdown("; ".join(filter(None, (column.cells[row], below))))

    rules = ["---:" if column.number else "---" for column in table]
    lines = [[escape_markdown(column.heading) for column in table], rules]
    for row in range(len(table[0].cells) if table else 0):
        lines.append([cell(column, row) for column in table])
    text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return f"{text}\n{escape_markdown(in_every_row)}\n" if in_every_row else text


def _latex(columns: Sequence[Column], page: Sequence[PageColumn]) -> str:
    """Return a booktabs tabular, numbers to the right and prose in paragraphs."""
    layout = "".join(
        f"p{{{column.width}}}" if column.width else "r" if of_page.number else "l"
        for column, of_page in zip(columns, page, strict=True)
    )
    head, *rows = (
        " & ".join(map(escape_latex, cells)) + r" \\"
        for cells in zip(*([column.heading, *column.cells] for column in page), strict=True)
    )
    begin, end = rf"\begin{{tabular}}{{{layout}}}", r"\end{tabular}"
    lines = [begin, r"\toprule", head, r"\midrule", *rows, r"\bottomrule", end]
    return "\n".join(lines) + "\n"


MARKDOWN = {"\\": "\\\\", "|": "\\|", "*": "\\*", "_": "\\_", "`": "\\`", "[": "\\[", "]": "\\]"}
MARKDOWN |= {"&": "&amp;", "<": "&lt;", ">": "&gt;"}

INDEX = re.compile(r"\b(FTL)\\_([cf])\b")
"""Index of a method's label, once escaped."""

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
    """Return text that Markdown and HTML print as it is, on one line; FTL has its index lowered."""
    return INDEX.sub(r"\1<sub>\2</sub>", _replace(text, MARKDOWN))


def escape_latex(text: str) -> str:
    """Return text that LaTeX prints as it is, on one line."""
    return _replace(text, LATEX)


def _replace(text: str, replacements: dict[str, str]) -> str:
    """Return text on one line, every special character replaced once."""
    return "".join(replacements.get(char, char) for char in re.sub(r"\s+", " ", text).strip())
