"""Coverage: whether each table and figure of the papers is studied here, printed only, or absent.

`published/coverage.csv` has a row for each of them. A page of a paper says between two comments
that Markdown does not show, ``<!--coverage:fbftl-->`` and ``<!--end-->``, where the table goes that
is made of its rows; ``<!--coverage:all-->`` takes the counts of all papers.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fbftl.ground.errors import UserError
from fbftl.ground.files import csv_rows

STUDIED, PRINTED, ABSENT = STATES = ("studied", "printed only", "absent")
"""An experiment or a formula here gives its quantities; its numbers alone are here; neither."""

NO_QUANTITY = "names no quantity"
"""Why a table or figure is absent that is a drawing."""

ALL = "all"
"""The name behind which the counts of all papers go."""

TABLE = re.compile(
    r"(?<=<!--coverage:)(?P<name>\w+)(?P<part>/\w+)?-->\n.*?(?=<!--end-->)", re.DOTALL
)
"""Where a table goes, with what fills it now."""

AUDIT_ID = re.compile(r"A\d+")


@dataclass(frozen=True)
class Item:
    """A table or figure of a paper.

    paper: its word, as that of its folder in `published/`.
    part: which of the paper's pages argues its audit rows; empty where the paper has one page.
    item: its kind and number, as in its caption; panels in brackets.
    shows: what it shows, in words of this project.
    state: one of `STATES`.
    where: its results below `results/{task}/` or `results/`, studies, printed values, audit rows;
        separated by semicolons.
    reason: why it is absent; else empty.
    hours: what it would take, as a product in words, see `core_hours`; else empty.
    """

    paper: str
    part: str
    item: str
    shows: str
    state: str
    where: str
    reason: str
    hours: str

    @property
    def places(self) -> list[str]:
        """Each place of `where`."""
        return self.where.split("; ") if self.where else []


def read_items(path: str | Path) -> list[Item]:
    """Return the tables and figures of all papers, in the order of the file."""
    return [Item(**row) for row in csv_rows(path)]


def factors(product: str) -> list[tuple[str, str]]:
    """Return the factors of a product in words, each with the sign before it; none of no words."""
    parts = re.split(r" ([*/]) ", f" * {product}")[1:] if product else []
    return list(zip(parts[::2], parts[1::2], strict=True))


def core_hours(product: str) -> float:
    """Return hours of one core, given a product such as ``400 rounds * 90 s / 2 clients``.

    Args:
        product: factors, each a number and what it counts, whose product is in seconds.
    """
    seconds = 1.0
    for sign, factor in factors(product):
        number = float(factor.split()[0])
        seconds = seconds * number if sign == "*" else seconds / number
    return seconds / 3600


def fill_tables(text: str, items: Sequence[Item], page: str) -> str:
    """Return a page with the table of coverage behind every name; drawings are left out.

    Args:
        text: the page, in Markdown.
        items: the tables and figures of all papers.
        page: for the sentence.

    Raises:
        UserError: if a name is no paper of the items.
    """

    def filled(match: re.Match[str]) -> str:
        name, part = match["name"], match["part"] or ""
        of_paper = [item for item in items if item.paper == name and part in ("", f"/{item.part}")]
        if not of_paper and name != ALL:
            raise UserError(
                f"{page} asks for the coverage of '{name}{part}', of which "
                "published/coverage.csv has no row; correct the name, or add the rows"
            )
        shown = [item for item in of_paper if item.reason != NO_QUANTITY]
        lines = counts(items) if name == ALL else [line(item, bool(part)) for item in shown]
        heading = ("paper", *STATES) if name == ALL else ("", "shows", "here")
        return f"{name}{part}-->\n\n{piped(heading, lines)}\n\n"

    return TABLE.sub(filled, text)


def piped(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown, a line for each row."""
    return "\n".join(f"| {' | '.join(row)} |" for row in [heading, ["---"] * len(heading), *rows])


def counts(items: Sequence[Item]) -> list[list[str]]:
    """Return how many tables and figures of each paper are in each state."""
    of_paper = Counter((item.paper, item.state) for item in items)
    papers = dict.fromkeys(item.paper for item in items)
    return [
        [f"[{paper}]({paper}.md)", *(str(of_paper[paper, state]) for state in STATES)]
        for paper in papers
    ]


def line(item: Item, here: bool = False) -> list[str]:
    """Return the cells of an item: its number, what it shows, and its state with where or why.

    Args:
        item: the item.
        here: whether they are for the page of its part.
    """
    page = "" if here or not item.part else f"{item.paper}-{item.part}.md"
    linked = [
        f"[{place}]({page}#{place.lower()})" if AUDIT_ID.fullmatch(place) else f"`{place}`"
        for place in item.places
    ]
    return [item.item, item.shows, f"{item.state}: {', '.join(linked) or why(item)}"]


def why(item: Item) -> str:
    """Return why an item is absent, with the hours that it would take, to two digits."""
    if not item.hours:
        return item.reason
    hours = core_hours(item.hours)
    decimals = 1 - math.floor(math.log10(hours))
    product = item.hours.replace(" * ", " × ").replace(" / ", " ÷ ")
    return f"{item.reason}; {round(hours, decimals):,.{max(0, decimals)}f} h, {product}"
