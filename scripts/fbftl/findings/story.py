"""What a figure says: its conclusion as a title, and what is seen, for who does not see it.

Both are sentences with the figure's own numbers: a script computes them from the rows that it
draws. Where seeds do not decide which of two is greater, the title says what is compared.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scipy.special import stdtrit

from fbftl.findings.comparison import CONFIDENCE, LEAST_SEEDS, Measured
from fbftl.ground.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

DESCRIPTION = re.compile(r"<dc:description>(.*?)</dc:description>", re.DOTALL)
"""Where an svg has its alternative text."""

PICTURE = re.compile(r"!\[[^]]*\]\((?P<path>[^)]+\.svg)\)")
"""A picture on a page."""

LOWERED = re.compile(r"\$_\{?(\w+)\}?\$")
"""An index as figures set it lower."""


@dataclass(frozen=True)
class Story:
    """What a figure says.

    title: its conclusion in one sentence without a full stop, which is drawn above it.
    seen: what is drawn, axes and units first, then what stands out; its alternative text.
    """

    title: str
    seen: str

    @property
    def plain_title(self) -> str:
        """The title for files that take text alone, its indices behind an underscore."""
        return plain(self.title)

    @property
    def alternative(self) -> str:
        """The alternative text: the title, then what is seen."""
        return f"{self.plain_title}. {plain(self.seen)}"


def plain(text: str) -> str:
    """Return a text of a figure with its indices behind an underscore."""
    return LOWERED.sub(r"_\1", text)


def with_rows(table: "pd.DataFrame", path: object) -> "pd.DataFrame":
    """Return a table that a figure is drawn of.

    Raises:
        UserError: if it has no row.
    """
    if table.empty:
        raise UserError(
            f"{path} has no row, so that there is nothing to draw; give its experiment settings"
        )
    return table


def percent(share: float) -> str:
    """Return a share of 1 as titles write it."""
    return f"{100 * share:.1f}%"


def points(difference: float) -> str:
    """Return a difference between two shares of 1 in percentage points, without its sign."""
    return f"{100 * abs(difference):.1f} points"


def capitalised(sentence: str) -> str:
    """Return a sentence with a capital letter first, as it may begin with the name of an upload."""
    return sentence[:1].upper() + sentence[1:]


def listed(words: Sequence[str]) -> str:
    """Return words as a sentence lists them."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def measured(row: Any, score: str = "accuracy") -> Measured:
    """Return a row's score over its seeds; a row that does not count its seeds has one."""
    spread = row.get(f"{score}_spread", row.get("spread", 0.0))
    return Measured(float(row[score]), float(spread or 0), int(row.get("seeds", 1)))


def above(first: Measured, second: Measured) -> bool:
    """Tell whether seeds decide that one mean lies above another, the two not paired.

    The lower one-sided 95 % bound of the difference of means is above 0, by Student with as many
    degrees of freedom as the side with fewer seeds has; too few seeds decide nothing.
    """
    fewer = min(first.seeds, second.seeds)
    if fewer < LEAST_SEEDS:
        return False
    reach = float(stdtrit(fewer - 1, CONFIDENCE)) * (first.error**2 + second.error**2) ** 0.5
    return first.mean - second.mean > reach


def compared(
    names: tuple[str, str], sides: tuple[Measured, Measured], more: str = "more accurate"
) -> str:
    """Return a sentence on which of two shares is greater, with both.

    Args:
        names: of the two sides.
        sides: the two, shares of 1.
        more: what the greater one is.
    """
    (one, other), (first, second) = names, sides
    if above(first, second):
        return f"{one} is {more} than {other}: {percent(first.mean)} against {percent(second.mean)}"
    if above(second, first):
        return compared((other, one), (second, first), more)
    values = f"{one} {percent(first.mean)}, {other} {percent(second.mean)}"
    return f"{values}: which is {more}, the seeds do not decide"


def moved(
    what: str, where: tuple[str, str], sides: tuple[Measured, Measured], unit: str = "%"
) -> str:
    """Return a sentence on how a score goes from one setting to another.

    Args:
        what: whose score it is.
        where: the two settings, as in "falls from 98% **without loss** to 60% **at 0.99**".
        sides: the two scores, shares of 1.
        unit: behind each score.
    """
    (here, there), (first, second) = where, sides
    start, end = (f"{100 * side.mean:.1f}{unit}" for side in sides)
    if above(first, second) or above(second, first):
        goes = "falls" if first.mean > second.mean else "rises"
        return f"{what} {goes} from {start} {here} to {end} {there}"
    return f"{what} is {start} {here} and {end} {there}: which is more, the seeds do not decide"


def alternative_of(svg: str) -> str:
    """Return the alternative text that a figure's svg has in its metadata, empty if it has none."""
    description = DESCRIPTION.search(svg)
    return unescape(description[1]) if description else ""


def alternative_in(path: Path) -> str:
    """Return the alternative text in a figure's file, empty if it has none or is not there."""
    return alternative_of(path.read_text(encoding="utf-8")) if path.is_file() else ""


def fill_alternatives(text: str, folder: Path) -> str:
    """Return a page whose pictures have the alternative texts of their svg files, where these do.

    Args:
        text: the page, in Markdown.
        folder: where the page is.
    """

    def filled(picture: re.Match[str]) -> str:
        words = alternative_in(folder / picture["path"])
        return f"![{words}]({picture['path']})" if words else picture[0]

    return PICTURE.sub(filled, text)
