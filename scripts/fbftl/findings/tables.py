"""The one writer and reader of result tables, and the columns that many of them share.

A tidy frame becomes csv, Markdown, LaTeX and HTML. The csv carries every column under its plain
name with full precision, for programs. The others are for readers, with headings, units and rounded
numbers: LaTeX carries the chosen columns, Markdown and HTML at most eight of them.

A heading is in sentence case. A mean over seeds has its standard deviation right beside it, under
`±` and in the mean's unit; the csv calls it by the mean with `_spread` behind, and that of the
accuracy just `spread`.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from fbftl.findings.table_page import PageColumn, PageText, for_readers, table_page
from fbftl.findings.wording import axis_name
from fbftl.ground.files import parsing, write_text
from fbftl.study.job import FAR_BEHIND

VERDICTS = ("verdict", "overall")
"""Columns that say what was decided."""

MOST_ROWS = 30
"""Of a table in Markdown; its csv has all."""

WHOLE = ("claims",)
"""Tables that Markdown has whole: sentences, which a csv shows badly."""


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
        if self.format == "{}" and pd.api.types.is_bool(value):
            return "yes" if value else "no"
        return self.format(value) if callable(self.format) else self.format.format(value)

    def of_page(self, values: pd.Series) -> PageColumn:
        """Return the column of a page that has some values."""
        return PageColumn(
            self.title,
            list(map(self.print, values)),
            number=pd.api.types.is_numeric_dtype(values)
            or bool(values.dropna().map(type).eq(float).any()),
            prose=bool(self.width),
            verdict=self.name in VERDICTS,
            reason=self.name == "reason",
            detail=not self.page,
        )


PREFIXES = ("", "k", "M", "G", "T", "P", "E")
"""SI prefixes by powers of a thousand."""


def prefixed(value: float, unit: str = "") -> str:
    """Return a count (at least 0) with three digits, an SI prefix and a unit, as in 11.8 MB."""
    rounded = float(f"{value:.3g}")
    thousands = int(math.log10(rounded) // 3) if rounded >= 1 else 0
    power = min(thousands, len(PREFIXES) - 1)
    return f"{rounded / 1000**power:g} {PREFIXES[power]}{unit}".rstrip()


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
    arranged: the rows as readers see them, what they decide by first, where that is not the csv's
        order.
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
        write_text(csv.with_suffix(".md"), markdown(page, csv))
        write_text(csv.with_suffix(".tex"), _latex(self.columns, page))
        write_text(csv.with_suffix(".html"), table_page(csv, text, page))


def markdown(columns: Sequence[PageColumn], csv: Path) -> str:
    """Return a pipe table of a page's columns, numbers to the right, what rows share below it.

    A long table ends after `MOST_ROWS`, with a link to its csv.
    """
    table, in_every_row = for_readers(columns)
    rows = len(table[0].cells) if table else 0
    shown = rows if csv.stem in WHOLE else min(rows, MOST_ROWS)

    def cell(column: PageColumn, row: int) -> str:
        below = column.below[row] if column.below else ""
        return escape_markdown("; ".join(filter(None, (column.cells[row], below))))

    rules = ["---:" if column.number else "---" for column in table]
    lines = [[escape_markdown(column.heading) for column in table], rules]
    lines += ([cell(column, row) for column in table] for row in range(shown))
    text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    if in_every_row:
        text += f"\n{escape_markdown(in_every_row)}\n"
    if shown < rows:
        text += f"\nThe first {shown} of {rows} rows; [{csv.name}]({csv.name}) has all of them.\n"
    return text


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
LATEX |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "†": r"$\dagger$"}
LATEX |= {"−": "$-$", "×": r"$\times$", "±": r"$\pm$", "≥": r"$\geq$", "≤": r"$\leq$"}
LATEX |= {"ε": r"$\epsilon$", "σ": r"$\sigma$", "δ": r"$\delta$", "Σ": r"$\Sigma$", "√": r"$\surd$"}
LATEX |= {"⌈": r"$\lceil$", "⌉": r"$\rceil$", "⁻": r"$^{-}$", "→": r"$\rightarrow$"}


def escape_markdown(text: str) -> str:
    """Return text that Markdown and HTML print as it is, on one line; FTL has its index lowered."""
    return INDEX.sub(r"\1<sub>\2</sub>", _replace(text, MARKDOWN))


def escape_latex(text: str) -> str:
    """Return text that LaTeX prints as it is, on one line."""
    return _replace(text, LATEX)


def _replace(text: str, replacements: dict[str, str]) -> str:
    """Return text on one line, every special character replaced once."""
    return "".join(replacements.get(char, char) for char in re.sub(r"\s+", " ", text).strip())


PERCENT = "{:z.1%}"
"""A share of 1 as tables print it."""

METHOD = Column("label", "Method", page=True)
EPSILON = Column("epsilon", "ε", format="{:g}", page=True)
SEEDS = Column("seeds", "Seeds", format="{:.0f}")
DIVERGED = Column("diverged", "Diverged", format="{:.0f}")
"""Of the seeds, those whose loss stopped being finite."""

SEED_COUNTS = (SEEDS, DIVERGED)

BY_SEED = (Column("setting", "Setting"), Column("seed", "Seed", format="{:.0f}"))
"""Whose row it is, where every seed has one."""

TEST_SET = Column("test_set_error", "Test set ±", format=PERCENT)
"""Standard error that an accuracy has because another test set of the size scores otherwise."""

MAJORITY = Column("majority", "Majority-class baseline", format=PERCENT)
"""What always answering the most frequent class scores: the level that an accuracy has to pass."""

UNDERTRAINED = Column("undertrained", "Under-trained", page=True)
"""What ridge regression on the same features has, where a head is far behind it; else nothing."""

DOWNLINK = Column("downlink_bits", "Downlink", "bits", prefixed)
"""What clients are sent up to the epoch that counts, after the frozen part was deployed."""

FROZEN = Column("frozen_bits", "Frozen part, once", "bits", prefixed)
"""The part of the network that no client trains, as every client is sent it before all else."""

VERDICT = Column("verdict", "Verdict", page=True)
REASON = Column("reason", "Not comparable for")
"""What differs from the published setup."""


def with_spread(
    name: str,
    heading: str,
    unit: str = "",
    format: str | Callable[[Any], str] = PERCENT,
    spread: str = "",
    page: bool = False,
) -> tuple[Column, Column]:
    """Return the column of a mean over seeds and that of its standard deviation.

    Args:
        name: column of the mean.
        heading: of the mean.
        unit: of both.
        format: of both; a sign that it asks for is the mean's alone.
        spread: column of the standard deviation, if it is not `{name}_spread`.
        page: whether the page keeps both.
    """
    unsigned = format.replace("+", "") if isinstance(format, str) else format
    beside = Column(spread or f"{name}_spread", "±", format=unsigned)
    return Column(name, heading, unit, format, page=page), beside


def points(share: float) -> str:
    """Return a difference of two shares in percentage points."""
    return f"{100 * share:z.1f}"


def signed_points(share: float) -> str:
    """Return a difference of two shares in percentage points, with its sign."""
    return f"{100 * share:+z.1f}"


def difference(name: str, heading: str) -> tuple[Column, Column]:
    """Return the columns of a difference of accuracies, in points, and of its spread."""
    mean = Column(name, heading, "points", signed_points, page=True)
    return mean, Column(f"{name}_spread", "±", format=points)


def accuracy(heading: str = "Accuracy", format: str = PERCENT) -> tuple[Column, Column]:
    """Return the columns `accuracy` and `spread`."""
    return with_spread("accuracy", heading, format=format, spread="spread", page=True)


def undertrained(accuracy: float, ridge: float | None) -> str:
    """Return what stands under `UNDERTRAINED`, of the means over seeds."""
    far_behind = ridge is not None and ridge - accuracy > FAR_BEHIND
    return f"ridge regression has {ridge:.1%}" if far_behind else ""


def judged_against(
    what: str, heading: str = "Published", format: str = PERCENT
) -> tuple[Column, Column, Column]:
    """Return the columns of `printed.judged`: what was published, the verdict, and its reason.

    Args:
        what: of which the published value is, such as a data set.
        heading: what was published.
        format: of the published value.
    """
    return Column("published", f"{heading}, {what}", format=format, page=True), VERDICT, REASON


def heading_of(axis: str) -> str:
    """Return the heading of an axis that a study varies: its name in words."""
    words = axis_name(axis)
    return words[:1].upper() + words[1:]


def read_table(path: str | Path, dtype: Mapping[str, type] | None = None) -> pd.DataFrame:
    """Read a csv of results back; empty cells are missing values.

    Args:
        path: of the csv.
        dtype: types of some columns.

    Raises:
        UserError: if it is no text, or has no heading or a line longer than it.
    """
    with parsing(path, "table"):
        return pd.read_csv(path, keep_default_na=False, na_values=[""], dtype=dict(dtype or {}))
