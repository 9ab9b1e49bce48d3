"""Kept tables read anew by the registry: numbers stay, verdicts and texts follow."""

from pathlib import Path

import pytest
from fbftl.findings.comparison import Measured
from fbftl.findings.front import rows
from fbftl.findings.sentence_rule import interval
from fbftl.ground.errors import UserError
from fbftl.papers.claims import OURS
from fbftl.papers.kept_registry import comparisons, read_anew, sentences
from fbftl.papers.registry import Sentence

CLAIM = {
    "sentence": "x-01", "part": "a", "compares": "one over two", "form": "more", "margin": "",
    "size": "", "unit": "points", "ratio": "no", "origin": "",
}  # fmt: skip
MEASURED = Measured(2.0, 1.5, 9)


def kept(tested: int, **cells: str) -> dict[str, str]:
    """Return a kept row of `CLAIM` on a full study's task."""
    lower, upper = interval(MEASURED, tested)
    sides = {f"{s}_{of}": "9.0" for s in ("first", "second") for of in ("mean", "spread", "seeds")}
    return {
        "sentence": "x-01", "part": "a", "compares": "one over two", "origin": "",
        "task": "toys-full", "size": "full", "form": "more", "margin": "", "printed_size": "",
        "reach": "1.0", "reach_is": "ours", "unit": "points", **sides, "compared": "2.0",
        "lower": repr(lower), "upper": repr(upper), "diverged": "0", "verdict": "holds",
        "tested": str(tested),
    } | cells  # fmt: skip


def read(row: dict[str, str], tested: int = 5, **claim: str) -> dict[str, str]:
    """Return the one row that is made of a kept one."""
    (found,) = comparisons([row], [CLAIM | claim], {"x-01": tested}, list(row))
    return found


def test_what_the_registry_has_already_stays():
    assert read(kept(5)) == kept(5)


def test_a_corrected_margin_changes_the_verdict_and_nothing_that_was_measured():
    found = read(kept(5), margin="5", size="5")
    assert (found["verdict"], found["margin"], found["reach_is"]) == (
        "the contrary holds", "5.0", "printed",
    )  # fmt: skip
    assert [found[end] for end in ("lower", "upper")] == [kept(5)[e] for e in ("lower", "upper")]


def test_an_interval_among_more_sentences_is_what_the_seeds_would_give():
    found = read(kept(5), tested=40)
    ends = [float(found[end]) for end in ("lower", "upper")]
    assert ends == pytest.approx(interval(MEASURED, 40), rel=1e-12)
    row = kept(5, second_seeds="8.0")
    with pytest.raises(UserError, match="not kept how many seeds both sides have"):
        read(row, tested=40)


def test_other_words_are_another_quantity():
    with pytest.raises(UserError, match="run it again, or leave its words"):
        read(kept(5), compares="two over three")
    quick = kept(5, task="toys", size="quick", verdict="quick: no verdict")
    found = read(quick, compares="two over three")
    assert (found["verdict"], found["task"], found["first_mean"]) == ("not run", "", "")


def test_a_comparison_that_left_the_registry_leaves_the_table():
    gone, stays = kept(5, part="b"), kept(5)
    assert comparisons([gone, stays], [CLAIM], {"x-01": 5}, list(gone)) == [stays]


def test_a_comparison_that_was_never_run_says_so():
    (row,) = comparisons([], [CLAIM], {"x-01": 5}, list(kept(5)))
    assert (row["verdict"], row["task"], row["compares"]) == ("not run", "", "one over two")


def test_a_sentence_comes_to_what_its_parts_do():
    of = Sentence("x-01", "toys", "p. 1", "More.", "order", "", "", "", "", "tested", "why")
    second = kept(5, part="b", verdict="the contrary holds")
    before = [{"sentence": "x-01", "task": "toys-full", "diverged": "2.0", "verdict": "holds"}]
    (row,) = sentences([of], before, [kept(5), second], {"toys": 5})
    assert (row["overall"], row["parts"], row["diverged"]) == (
        "depends on the case",
        "2 of 2",
        "2.0",
    )
    assert (row["says"], row["note"], row["seeds"]) == ("More.", "why", "9.0")
    unrun = kept(5, task="", size="", verdict="not run")
    (row,) = sentences([of], before, [unrun], {"toys": 5})
    assert (row["overall"], row["measured"]) == ("not run", "")


@pytest.mark.parametrize("paper", ["fbftl", "rivals", "eppfl", "fedfeat", "thesis", "survey"])
def test_the_kept_tables_are_what_the_registry_says(root: Path, tmp_path: Path, paper: str):
    """Whoever corrects the registry calls `renew_results.py`, which needs no name for it."""
    before = root / "docs" / "results" / "papers" / paper / "tables"
    for name in ("sentences", "parts", "hypotheses"):
        for suffix in (".csv", ".md"):
            text = (before / f"{name}{suffix}").read_text(encoding="utf-8")
            (tmp_path / f"{name}{suffix}").write_text(text, encoding="utf-8")
    read_anew(tmp_path, root / "published", paper)
    for name in ("sentences", "parts", "hypotheses"):
        assert rows(tmp_path / f"{name}.csv") == rows(before / f"{name}.csv")
    assert all(row["sentence"] == OURS for row in rows(tmp_path / "hypotheses.csv"))
