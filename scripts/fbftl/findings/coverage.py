"""Coverage: whether each table and figure of the papers is studied here, printed only, or absent.

`published/coverage.csv` has a row for each of them: `paper`; `part`, which of the paper's pages
argues its audit rows, empty where it has one page; `item`, kind and number as in its caption,
panels in brackets; what it `shows`; its `state`; `where`, results below `results/{task}/` or
`results/`, studies, printed values and audit rows, separated by semicolons; and the `reason` why it
is absent.

A page of a paper says between two comments that Markdown does not show, ``<!--coverage:fbftl-->``
and ``<!--end-->``, where the table goes that is made of its rows; ``<!--coverage:all-->`` takes the
counts of all papers.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from fbftl.ground.errors import UserError

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


Row = Mapping[str, str]


def fill_tables(text: str, items: Sequence[Row], page: str) -> str:
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
        of_paper = [
            item for item in items if item["paper"] == name and part in ("", f"/{item['part']}")
        ]
        if not of_paper and name != ALL:
            raise UserError(
                f"{page} asks for the coverage of '{name}{part}', of which "
                "published/coverage.csv has no row; correct the name, or add the rows"
            )
        shown = [item for item in of_paper if item["reason"] != NO_QUANTITY]
        lines = counts(items) if name == ALL else [line(item, bool(part)) for item in shown]
        heading = ("paper", *STATES) if name == ALL else ("", "shows", "here")
        return f"{name}{part}-->\n\n{piped(heading, lines)}\n\n"

    return TABLE.sub(filled, text)


def piped(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown, a line for each row."""
    return "\n".join(f"| {' | '.join(row)} |" for row in [heading, ["---"] * len(heading), *rows])


def counts(items: Sequence[Row]) -> list[list[str]]:
    """Return how many tables and figures of each paper are in each state."""
    of_paper = Counter((item["paper"], item["state"]) for item in items)
    papers = dict.fromkeys(item["paper"] for item in items)
    return [
        [f"[{paper}]({paper}.md)", *(str(of_paper[paper, state]) for state in STATES)]
        for paper in papers
    ]


def line(item: Row, here: bool = False) -> list[str]:
    """Return the cells of an item: its number, what it shows, and its state with where or why.

    Args:
        item: its row.
        here: whether they are for the page of its part.
    """
    page = "" if here or not item["part"] else f"{item['paper']}-{item['part']}.md"
    linked = [
        f"[{place}]({page}#{place.lower()})" if AUDIT_ID.fullmatch(place) else f"`{place}`"
        for place in item["where"].split("; ")
        if place
    ]
    where = ", ".join(linked) or item["reason"]
    return [item["item"], item["shows"], f"{item['state']}: {where}"]
