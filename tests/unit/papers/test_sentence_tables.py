"""Tables of sentences: every sentence has its row, and only full studies have verdicts."""

from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest
from fbftl.findings.comparison import Verdict
from fbftl.papers.claims import OURS, Claim, Examined, Form
from fbftl.papers.comparisons import comparisons_table
from fbftl.papers.formulas import (
    Decides,
    Decision,
    PaperRecord,
    alike,
    audited,
    fewer,
    identical,
    identical_throughout,
)
from fbftl.papers.quantities import BySeed, Runs
from fbftl.papers.registry import (
    BY_FORMULA,
    NOT_TESTABLE,
    TESTED,
    TO_BE_RUN,
    Sentence,
    number_tested,
)
from fbftl.papers.sentences import sentences_table
from unit.papers.claimed import PAPERS, registry
from unit.papers.test_effects import runs

KEPT = Path(__file__).parents[3] / "docs" / "results"


def sentence(row_id: str, status: str, system: str = "ants", margin: str = "") -> Sentence:
    return Sentence(
        row_id, system, "Ch. 1", "They carry.", "order", "ants", "load", margin, "more", status,
        "by weighing",
    )  # fmt: skip


def part(name: str, *differences: float, of: str = "a-1", form: Form = Form.MORE) -> Examined:
    """Return a claim that was run, or one that was not where no difference is given."""
    none, second = BySeed(pd.Series(dtype=float)), pd.Series(differences, dtype=float)
    claim = Claim(of, name, name, lambda runs: (none, none), form, None, None, "points", False, "")
    return Examined(claim, BySeed(0 * second), BySeed(second))


UP, DOWN, NOTHING = (5.0, 5.1, 4.9), (-5.0, -5.1, -4.9), (3.0, -3.0, 0.0)

REGISTRY = [
    sentence("a-1", TESTED),
    sentence("a-2", BY_FORMULA),
    sentence("a-3", TO_BE_RUN),
    sentence("a-4", NOT_TESTABLE),
    sentence("b-1", TESTED, "bees"),
]


def table(by_task: dict[str, list[Examined]], **decisions: Decision) -> pd.DataFrame:
    named = {name.replace("_", "-"): decision for name, decision in decisions.items()}
    return sentences_table(REGISTRY, number_tested(REGISTRY), by_task, named)


def verdicts(**by_task: list[Examined]) -> dict[str, tuple[str, str]]:
    """Return the verdict of a-1 on each task, and over all."""
    frame = table({task.replace("_", "-"): of for task, of in by_task.items()})
    rows = frame[frame["sentence"] == "a-1"].set_index("task")
    return dict(zip(rows.index, zip(rows["verdict"], rows["overall"], strict=True), strict=True))


def test_sentences_that_a_formula_decides_are_no_tests():
    assert number_tested(REGISTRY) == {"ants": 2, "bees": 1}
    assert table({})["tested"].tolist() == [2, 2, 2, 2, 1]


def test_every_sentence_has_a_row_with_what_became_of_it():
    frame = table({}, a_2=Decision("the scales", "7 grams", False)).set_index("sentence")
    assert list(frame.index) == [of.id for of in REGISTRY]
    assert frame["verdict"].to_dict() == {
        "a-1": "not run",
        "a-2": "by formula: does not hold",
        "a-3": "to be run",
        "a-4": "not testable here",
        "b-1": "not run",
    }
    assert frame.loc["a-2", ["measured", "note"]].tolist() == ["7 grams", "the scales"]
    assert frame["overall"].equals(frame["verdict"])


def test_what_nothing_computes_is_listed_as_such():
    row = table({}).set_index("sentence").loc["a-2"]
    assert (row["verdict"], row["note"]) == ("by formula: not computed", "by weighing")


@pytest.mark.parametrize(
    ("task", "verdict"),
    [
        ("hill", "quick: no verdict"),
        ("hill_full", "holds"),
    ],
)
def test_only_a_full_study_has_a_verdict(task, verdict):
    assert verdicts(**{task: [part("x", *UP)]}) == {task.replace("_", "-"): (verdict, verdict)}


def test_tasks_that_disagree_leave_it_to_the_task():
    both = verdicts(hill_full=[part("x", *UP)], dale_full=[part("x", *DOWN)])
    assert {overall for _, overall in both.values()} == {"depends on the case"}
    assert {verdict for verdict, _ in both.values()} == {"holds", "the contrary holds"}


@pytest.mark.parametrize(
    ("second", "verdict"), [(UP, "holds"), (NOTHING, "undecided"), (DOWN, "depends on the case")]
)
def test_a_sentence_holds_where_every_part_does(second, verdict):
    (found,) = verdicts(hill_full=[part("x", *UP), part("y", *second)]).values()
    assert found == (verdict, verdict)


def test_a_part_that_no_full_study_ran_leaves_it_undecided():
    (full, quick) = verdicts(
        hill_full=[part("x", *UP), part("y")], hill=[part("x", *UP), part("y", *UP)]
    ).values()
    assert full == ("holds", "undecided")
    assert quick == ("quick: no verdict", "undecided")


def test_comparisons_have_their_numbers_and_no_verdict_but_of_full_studies():
    by_task = {
        "hill": [part("x", *UP, of=OURS), part("y", of=OURS)],
        "hill-full": [part("x", *DOWN, of=OURS), part("y", of=OURS)],
    }
    frame = comparisons_table(by_task, {OURS: 2})
    assert frame["task"].tolist() == ["hill", "hill-full", ""]
    assert frame["verdict"].tolist() == ["quick: no verdict", "the contrary holds", "not run"]
    assert (frame["lower"][:2] < frame["compared"][:2]).all()


def test_an_audit_row_decides_a_sentence():
    row = {"id": "A1", "where": "Ch. 1", "computed": "2", "published": "1", "unit": "grams"}
    for verdict in (Verdict.REPRODUCED, Verdict.DIFFERS):
        record = PaperRecord({}, {"A1": row | {"verdict": str(verdict)}})
        decision = audited("A1")(REGISTRY[1], record)
        assert decision is not None
        assert decision.holds is (verdict is Verdict.REPRODUCED)
    assert audited("A1", "A2")(REGISTRY[1], record) is None


def holds(decide: Decides, *of_tasks: Runs) -> bool | None:
    decision = decide(REGISTRY[1], PaperRecord({}, {}, of_tasks))
    return None if decision is None else decision.holds


FBFTL, FTL_C = {"method": "fbftl"}, {"method": "ftl_c"}


def test_identities_and_counts_are_decided_by_every_seed():
    ran = Runs(runs(({}, [0.8, 0.8, 0.7]), (FTL_C, [0.9, 0.9, 0.7])))
    assert holds(identical("test_accuracy", FBFTL, FBFTL), ran) is True
    assert holds(identical("test_accuracy", FBFTL, FTL_C), ran) is False
    assert holds(fewer("test_accuracy", FBFTL, FTL_C), ran) is False
    lengths = Runs(
        ran.table.assign(test_accuracy=ran.table["method"].map({"fbftl": 1, "ftl_c": 2}))
    )
    assert holds(fewer("test_accuracy", FBFTL, FTL_C), lengths) is True
    assert holds(fewer("test_accuracy", FBFTL, FTL_C), lengths, ran) is False
    assert holds(fewer("test_accuracy", FBFTL, FTL_C)) is None


def curves(**by_setting: list[list[float]]) -> Runs:
    """Return runs whose validation loss by seed and epoch is known."""
    table = runs(({}, [0.8, 0.8]), (FTL_C, [0.8, 0.8]))
    rows = [
        {"setting": name, "series": "validation_loss", "seed": seed, "step": step, "value": value}
        for name, of_seeds in by_setting.items()
        for seed, curve in enumerate(of_seeds)
        for step, value in enumerate(curve, start=1)
    ]
    return Runs(table, series=pd.DataFrame(rows))


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ([[2.0, 1.0], [3.0, 1.0]], True),
        ([[2.5, 1.0], [3.0, 1.0]], False),  # apart on the way, equal in the end
        ([[2.0, 1.0]], False),
        ([[2.0, 1.0, 1.0], [3.0, 1.0, 1.0]], False),
    ],
)
def test_curves_are_equal_at_every_step_of_every_seed(other, same):
    decide = identical_throughout("validation_loss", FBFTL, FTL_C)
    ran = curves(fbftl=[[2.0, 1.0], [3.0, 1.0]], ftl_c=other)
    assert holds(decide, ran) is same
    assert holds(decide, curves(fbftl=[[2.0, 1.0]])) is None


@pytest.mark.parametrize(("sent", "similar"), [(109, True), (91, True), (111, False), (89, False)])
def test_similar_counts_are_a_tenth_apart_at_most(sent, similar):
    table = runs(({}, [100, 100, 100]), (FTL_C, [100, 100, sent]))
    assert holds(alike("test_accuracy", FBFTL, FTL_C), Runs(table)) is similar
    assert holds(alike("test_accuracy", FBFTL, FTL_C)) is None


@pytest.mark.parametrize("paper", PAPERS)
def test_formulas_decide_sentences_that_are_by_formula(paper):
    formulas = import_module(f"fbftl.papers.{paper}.formulas").FORMULAS
    by_formula = {of.id for of in registry(paper) if of.status == BY_FORMULA}
    assert set(formulas) <= by_formula


TABLES = ("sentences", "parts", "hypotheses")


@pytest.mark.parametrize(
    "path", [path for name in TABLES for path in sorted(KEPT.rglob(f"tables/{name}.csv"))], ids=str
)
def test_no_kept_table_has_a_verdict_of_a_quick_study(path):
    assert too_small(pd.read_csv(path, keep_default_na=False)) == []


def too_small(kept: pd.DataFrame) -> list[str]:
    """Return the tasks of a kept table that have a verdict and are no full study's."""
    small = kept[(kept["task"] != "") & (kept["size"] != "full")]
    return sorted(set(small["task"][~small["verdict"].str.endswith("no verdict")]))
