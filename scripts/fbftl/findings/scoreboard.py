"""The scoreboard: what became of every sentence of every paper, counted from kept results.

`docs/results/papers/{paper}/tables/sentences.csv` has a sentence in one row or, where several tasks
ran it, in several, which agree on what it comes to over all of them. A page says between two
comments that Markdown does not show, ``<!--scoreboard:papers-->`` and ``<!--end-->``, where the
table goes, whose rows are the papers, or under ``scoreboard:verdicts`` the verdicts. Every count
also has a name, ``papers/{paper}/{column}``, and so has their sum, ``papers/all/{column}``, under
which pages take single numbers (`findings.prose`).
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from fbftl.findings.coverage import under
from fbftl.findings.front import rows
from fbftl.ground.errors import UserError

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "holds": ("holds",),
    "the contrary holds": ("the contrary holds",),
    "depends on the case": ("depends on the case",),
    "no difference": ("no difference of half the printed size",),
    "undecided": ("undecided",),
    "by formula: holds": ("by formula: holds",),
    "by formula: does not hold": ("by formula: does not hold",),
    "not testable here": ("not testable here",),
    "no verdict yet": ("quick: no verdict", "pilot: no verdict", "by formula: not computed"),
    "to be run": ("to be run", "not run"),
}
"""Columns of the scoreboard in their order, each with the verdicts that it counts."""

SENTENCES = "sentences"
"""The column of all of them."""

ALL = "all"
"""What stands for all papers together."""

Scores = Mapping[str, Mapping[str, int]]
"""By paper and column how many sentences came to it."""

PLACE = re.compile(r"(?<=<!--scoreboard:)(?P<by>papers|verdicts)-->\n.*?(?=<!--end-->)", re.DOTALL)
"""Where the table goes, with what fills it now: a row for each paper, or for each verdict."""


def counted(verdicts: Mapping[str, str]) -> dict[str, int]:
    """Return how many sentences came to each column, and how many there are.

    Args:
        verdicts: over all tasks, by sentence.

    Raises:
        UserError: if a verdict is of no column.
    """
    column_of = {verdict: name for name, of_column in COLUMNS.items() for verdict in of_column}
    for sentence, verdict in verdicts.items():
        if verdict not in column_of:
            raise UserError(
                f"sentence {sentence} comes to '{verdict}', which no column of the scoreboard "
                "counts; renew its paper's results"
            )
    counts = Counter(column_of[verdict] for verdict in verdicts.values())
    return {SENTENCES: len(verdicts)} | {name: counts[name] for name in COLUMNS}


def scores(papers: Iterable[Path]) -> dict[str, dict[str, int]]:
    """Return the scoreboard of all papers that have kept results, and of all together.

    Args:
        papers: the kept folder of each paper, named after it.

    Raises:
        UserError: if a verdict is of no column.
    """
    tables = {folder.name: folder / "tables" / "sentences.csv" for folder in papers}
    of_papers = {
        paper: counted({row["sentence"]: row["overall"] for row in rows(table)})
        for paper, table in sorted(tables.items())
        if table.is_file()
    }
    sums = {
        name: sum(counts[name] for counts in of_papers.values()) for name in (SENTENCES, *COLUMNS)
    }
    return {**of_papers, ALL: sums}


def numbers(of_papers: Scores) -> dict[str, float]:
    """Return every count by the name under which pages take it."""
    return {
        f"papers/{paper}/{column.replace(':', '')}": float(count)
        for paper, counts in of_papers.items()
        for column, count in counts.items()
    }


def fill_scoreboard(text: str, of_papers: Scores, pages: str = ".") -> str:
    """Return a page with the scoreboard where it asks for it.

    Args:
        text: the page, in Markdown.
        of_papers: the counts.
        pages: folder of the papers' pages, as seen from the page.
    """
    before = "" if pages == "." else f"{pages}/"
    heading = ["paper", SENTENCES, *COLUMNS]
    lines = [
        [paper if paper == ALL else f"[{paper}]({before}{paper}.md)", *map(str, counts.values())]
        for paper, counts in of_papers.items()
    ]

    def filled(match: re.Match[str]) -> str:
        every = [heading, *lines]
        if match["by"] == "verdicts":
            every = [list(row) for row in zip(*every, strict=True)]
        table = "".join(f"| {' | '.join(row)} |\n" for row in under(every[0], every[1:]))
        return f"{match['by']}-->\n\n{table}\n"

    return PLACE.sub(filled, text)
