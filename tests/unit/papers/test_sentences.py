"""Registries of sentences: every row complete, in this project's words, and as the briefs have it.

A registry of the sources' sentences with their verbatim text may be beside the project's data, as
`briefs/sentences-*.csv`; without it the registries are held to their form alone.
"""

import csv
import os
import re
from itertools import product
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

FILES = sorted((ROOT / "published").glob("*/sentences.csv"))

COLUMNS = [
    "id", "system", "place", "says", "kind",
    "sides", "measure", "margin", "direction", "status", "reason",
]  # fmt: skip

KINDS = {"order", "size", "number", "equality", "threshold", "trend", "absence"}
"""What a sentence can be."""

SYSTEMS = {
    "fbftl": {"fbftl"},
    "fedfeat": {"fedfeat"},
    "eppfl": {"eppfl"},
    "thesis": {"budget", "fade", "splitmix", "robust", "ecos"},
    "survey": {"dpsgd", "frameworks"},
    "rivals": {"rivals"},
}
"""Systems of each paper, each with its study."""

REASONS = {
    "tested": r"|{system}: .+",
    "by formula": r".+",
    "to be run": r"{system}: .+",
    "not testable here": r".+",
}
"""What each status has to give as its reason: something, or the study that runs it and what; of a
tested sentence what its study has still to add, if anything."""

PREFIXES = {"thesis": {"c2", "c3", "c4", "c5"}, "survey": {"s"}, "rivals": {"r"}}
"""What ids begin with where it is not the paper's name."""

REQUIRED = ("place", "says", "sides", "measure", "direction")
"""Columns that no row leaves empty."""

HELD = ("place", "kind", "direction")
"""Columns that a registry has from the briefs, beside the margin."""

RESTATED = ("says", "sides", "measure", "reason")
"""Columns that are in this project's words."""

LONGEST = 40
"""Words that a sentence has at most."""

COPIED = 6
"""Words in a row from which on text counts as copied, names and numbers apart."""

NO_MARGIN = re.compile(r"0( \(\D*\)|; \D*)?")
"""How a row says that no margin is printed: a zero, with or without words, but no figure."""

WORD = re.compile(r"[\w%+]+(?:[-'.,]\w+)*")

COMMON_WORD = re.compile(r"[A-Z]?[a-z'-]+")
"""A word that is no name and no number: FbFTL, FTL_c, K-Center and 82.5 are no common words."""


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a csv, every cell a text."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def printed_margin(cell: str) -> str:
    """Return a margin, empty where it says that none is printed."""
    return "" if NO_MARGIN.fullmatch(cell) else cell


def longest_copy(text: str, quote: str) -> int:
    """Return how many common words the longest run has that two texts share, without case."""
    here, there = WORD.findall(text), WORD.findall(quote)
    longest = 0
    for start, other in product(range(len(here)), range(len(there))):
        common = 0
        for word, quoted in zip(here[start:], there[other:], strict=False):
            if word.casefold() != quoted.casefold():
                break
            common += bool(COMMON_WORD.fullmatch(word))
        longest = max(longest, common)
    return longest


@pytest.fixture(params=FILES, ids=lambda file: file.parent.name)
def path(request: pytest.FixtureRequest) -> Path:
    """The registry of each paper that has one."""
    return request.param


@pytest.fixture(scope="module")
def briefs() -> dict[str, dict[str, dict[str, str]]]:
    """The rows of the briefs by paper and id; of rivals the source's name begins the place."""
    data = Path(os.environ.get("FBFTL_DATA", ROOT.parent / "shared" / "data"))
    files = sorted((data.parent / "briefs").glob("sentences-*.csv"))
    if not files:
        pytest.skip(f"no sentences-*.csv in {data.parent / 'briefs'}, beside the data folder")
    by_paper: dict[str, dict[str, dict[str, str]]] = {}
    for row in (row for file in files for row in rows_of(file)):
        paper, _, rival = row["paper"].partition(": ")
        place = f"{rival}: {row['place']}" if rival else row["place"]
        by_paper.setdefault(paper, {})[row["id"]] = row | {"place": place}
    return by_paper


def test_ids_are_unique_and_tell_their_paper(path: Path) -> None:
    ids = [row["id"] for row in rows_of(path)]
    assert len(set(ids)) == len(ids) > 0
    paper = path.parent.name
    prefixes = PREFIXES.get(paper, {paper})
    assert [
        row_id
        for row_id in ids
        if not re.fullmatch(r"\d\d", row_id.rpartition("-")[2])
        or row_id.rpartition("-")[0] not in prefixes
    ] == []


def test_every_row_is_complete(path: Path) -> None:
    for row in rows_of(path):
        assert list(row) == COLUMNS
        assert [column for column in REQUIRED if not row[column].strip()] == [], row["id"]
        assert row["kind"] in KINDS, row["id"]


def test_every_status_has_its_reason(path: Path) -> None:
    for row in rows_of(path):
        assert row["status"] in REASONS, row["id"]
        reason = REASONS[row["status"]].format(system=row["system"])
        assert re.fullmatch(reason, row["reason"]), row["id"]


def test_every_sentence_is_of_a_system_of_its_paper(path: Path) -> None:
    assert {row["system"] for row in rows_of(path)} == SYSTEMS[path.parent.name]


def test_sentences_are_short(path: Path) -> None:
    lengths = {row["id"]: len(row["says"].split()) for row in rows_of(path)}
    assert {row_id: words for row_id, words in lengths.items() if words > LONGEST} == {}


def test_every_row_of_the_briefs_is_here_and_no_other(path: Path, briefs) -> None:
    assert {row["id"] for row in rows_of(path)} == set(briefs[path.parent.name])


def test_what_the_sources_print_is_as_in_the_briefs(path: Path, briefs) -> None:
    registered = briefs[path.parent.name]
    for row in rows_of(path):
        brief = registered[row["id"]]
        assert {c: row[c] for c in HELD} == {c: brief[c] for c in HELD}, row["id"]
        assert printed_margin(row["margin"]) == printed_margin(brief["margin"]), row["id"]


def test_no_sentence_is_copied(path: Path, briefs) -> None:
    registered = briefs[path.parent.name]
    copies = {
        (row["id"], column): words
        for row, column in product(rows_of(path), RESTATED)
        if (words := longest_copy(row[column], registered[row["id"]]["quote"])) >= COPIED
    }
    assert copies == {}
