"""Claims, printed numbers and coverage on the pages of the papers, as kept tables have them.

A page says between two comments that Markdown does not show, ``<!--claims:fbftl-->`` and
``<!--end-->``, where the claims go that a paper is cited for, and ``<!--printed:fbftl-->`` where it
says how many of its printed numbers are reproduced; ``<!--claims:all-->`` counts the verdicts of
all papers and has their claims that are decided, ``<!--claims:thesis/c4-->`` has every claim of a
chapter, by the beginning of their ids.

Coverage is whether each table and figure of the papers is studied here, printed only, or absent.
`published/coverage.csv` has a row for each of them: `paper`; `part`, which of the paper's pages
argues its audit rows, empty where it has one page; `item`, kind and number as in its caption,
panels in brackets; what it `shows`; its `state`; `where`, results below `results/{task}/` or
`results/`, studies, printed values and audit rows, separated by semicolons; and the `reason` why it
is absent. ``<!--coverage:fbftl-->`` takes the table of its rows, ``<!--coverage:all-->`` the counts
of all papers.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fbftl.findings.front import ORDER
from fbftl.findings.published import Verdict
from fbftl.findings.table_page import counted
from fbftl.findings.tables import escape_markdown, prefixed
from fbftl.ground.errors import UserError

ALL = "all"
"""The name behind which the claims, or the counts, of all papers go."""

PLACE = re.compile(
    r"(?<=<!--)(?P<kind>claims|printed|coverage):(?P<name>\w+)/?(?P<part>\w*)-->\n.*?(?=<!--end-->)",
    re.DOTALL,
)
"""Where a text goes, with what fills it now."""

VERDICTS = ORDER[3:]
"""Verdicts of claims, the decided ones first."""

DECIDED = VERDICTS[:3]

LEAD = "**Decided claims that a document is cited for**; its page explains its symbols:"

HEADING = ("claim", "printed", "here", "verdict", "evidence")

BILLIONS = re.compile(r"\d{1,3}(?:,\d{3}){3,}")
"""A count that pages write with a prefix."""

CELL = ("table", "quantity", "method", "trained_encoders", "UK", "U", "K", "setup", "name")
"""Columns that tell a printed number from the others of a table."""

Row = Mapping[str, str]


@dataclass(frozen=True)
class KeptRows:
    """Rows of a paper's kept tables.

    claims: of its table of claims.
    printed: of every table that sets a printed number beside a computed one, its name in `table`.
    audit: of the audit, the paper's.
    """

    claims: Sequence[Row]
    printed: Sequence[Row]
    audit: Sequence[Row]


def fill_claims(text: str, papers: Mapping[str, KeptRows], items: Sequence[Row], page: str) -> str:
    """Return a page with claims, counts and tables of coverage behind every name.

    Args:
        text: the page, in Markdown.
        papers: rows by paper, in the order of the table of all of them.
        items: the tables and figures of all papers.
        page: its path in the project.

    Raises:
        UserError: if of a name nothing is kept.
    """

    def filled(match: re.Match[str]) -> str:
        kind, name, part = match.group("kind", "name", "part")
        of_part = [item for item in items if item["paper"] == name and part in ("", item["part"])]
        if name != ALL and not (of_part if kind == "coverage" else name in papers):
            raise UserError(
                f"{page} asks for the {kind} of '{name}', of which there is nothing; correct the "
                "name, or add rows to published/coverage.csv or keep results of the paper"
            )
        if kind == "coverage":
            text = counts(items) if name == ALL else coverage(of_part, here=bool(part))
        elif kind == "printed":
            text = printed(papers[name], page)
        else:
            text = _of_all(papers) if name == ALL else _of_paper(papers[name].claims, part)
        place = match[0].partition("\n")[0]
        return f"{place}\n{text}\n\n"

    return PLACE.sub(filled, text)


def _of_paper(claims: Sequence[Row], chapter: str) -> str:
    """Return the claims of a chapter, or those that a document is cited for and how many it has."""
    if chapter:
        return piped(HEADING, [_cells(row) for row in claims if row["claim"].startswith(chapter)])
    return f"{piped(HEADING, [_cells(row) for row in headlines(claims)])}\n\n{tally(claims)}"


def _of_all(papers: Mapping[str, KeptRows]) -> str:
    """Return the counts of all papers, and the decided ones of their claims that lead pages."""
    every = [row for kept in papers.values() for row in kept.claims]
    lines = [[_link(paper), *_counts(kept.claims)] for paper, kept in papers.items()]
    totals = piped(("document", "claims", *VERDICTS), [*lines, ["all", *_counts(every)]])
    cells = [
        [_link(paper), *_cells(row)]
        for paper, kept in papers.items()
        for row in headlines(kept.claims)
        if row["verdict"] in DECIDED
    ]
    return f"{totals}\n\n{LEAD}\n\n{piped(('document', *HEADING), cells)}"


def _link(paper: str) -> str:
    return f"[{paper}]({paper}.md)"


def _counts(claims: Sequence[Row]) -> list[str]:
    by_verdict = Counter(row["verdict"] for row in claims)
    return [str(len(claims)), *(str(by_verdict[verdict]) for verdict in VERDICTS)]


def headlines(claims: Sequence[Row]) -> list[Row]:
    """Return the claims that a document is cited for, in their order."""
    return sorted(
        (row for row in claims if row["headline"]), key=lambda row: float(row["headline"])
    )


def _cells(row: Row) -> list[str]:
    says = f"{row['says']} ({row['claim']}, {row['place']})"
    evidence = row["evidence"]
    compared, _, parts = row["parts"].partition(" of ")
    if compared not in ("0", parts):
        evidence += f" ({row['parts']} parts)"
    cells = (says, row["printed"], effect_words(row["effect"]), row["verdict"], evidence)
    return [escape_markdown(cell) for cell in cells]


def effect_words(effect: str) -> str:
    """Return an effect as pages have it: great counts with a prefix, what is measured once."""
    short = BILLIONS.sub(lambda count: prefixed(int(count[0].replace(",", ""))), effect)
    shown, last = [], ""
    for part in short.split("; "):
        measure, colon, value = part.rpartition(": ")
        shown.append(value if colon and measure == last else part)
        last = measure
    return "; ".join(shown)


def tally(claims: Sequence[Row]) -> str:
    """Return how many claims there are of each verdict, in a sentence."""
    counts = Counter(row["verdict"] for row in claims)
    shown = ", ".join(f"{counts[name]} {name}" for name in ORDER if counts[name])
    return f"All {len(claims)} claims: {shown}."


def printed(kept: KeptRows, page: str) -> str:
    """Return how many printed numbers are reproduced, and which findings of the audit differ.

    A number is reproduced if one reading of what its document says gives it. A link leads to the
    page that argues a finding.
    """
    cells: dict[tuple[str, ...], set[str]] = {}
    for row in kept.printed:
        cell = tuple(row.get(column, "") for column in CELL)
        cells.setdefault(cell, set()).add(row["verdict"])
    compared = [of for of in cells.values() if of & {Verdict.REPRODUCED, Verdict.DIFFERS}]
    reproduced = sum(Verdict.REPRODUCED in of for of in compared)
    lines = []
    if compared:
        lines.append(f"Formulas give {reproduced} of {len(compared)} printed numbers.")
    if kept.audit:
        counts = Counter(row["verdict"] for row in kept.audit)
        differ = {
            row["id"]: row["section"].removeprefix(page).rpartition("/")[-1]
            for row in kept.audit
            if row["verdict"] == Verdict.DIFFERS
        }
        named = ", ".join(f"[{name}]({place})" for name, place in differ.items())
        others = (Verdict.REPRODUCED, Verdict.NOT_COMPARABLE)
        rest = "".join(f", {counts[verdict]} {verdict}" for verdict in others if counts[verdict])
        statements = counted(len(kept.audit), "doubted statement")
        lines.append(f"The audit recomputes {statements}: {len(differ)} different ({named}){rest}.")
    return " ".join(lines)


STUDIED, PRINTED, ABSENT = STATES = ("studied", "printed only", "absent")
"""An experiment or a formula here gives its quantities; its numbers alone are here; neither."""

NO_QUANTITY = "names no quantity"
"""Why a table or figure is absent that is a drawing."""

AUDIT_ID = re.compile(r"A\d+")


def coverage(items: Sequence[Row], *, here: bool) -> str:
    """Return the table of a paper's tables and figures, drawings left out.

    Args:
        items: their rows.
        here: whether it is for the page of their part.
    """
    shown = [item for item in items if item["reason"] != NO_QUANTITY]
    return piped(("", "shows", "here"), [line(item, here) for item in shown])


def piped(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown, a line for each row."""
    return "\n".join(f"| {' | '.join(row)} |" for row in [heading, ["---"] * len(heading), *rows])


def counts(items: Sequence[Row]) -> str:
    """Return a table of how many tables and figures of each paper are in each state."""
    of_paper = Counter((item["paper"], item["state"]) for item in items)
    papers = dict.fromkeys(item["paper"] for item in items)
    lines = [[_link(paper), *(str(of_paper[paper, state]) for state in STATES)] for paper in papers]
    return piped(("paper", *STATES), lines)


def line(item: Row, here: bool) -> list[str]:
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
