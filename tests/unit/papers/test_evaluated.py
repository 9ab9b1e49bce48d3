"""Claims come to verdicts: from rows and runs, part by part and together."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from fbftl.papers.claim_rows import ClaimForm, ClaimRow, ClaimTask
from fbftl.papers.claim_rule import ClaimVerdict
from fbftl.papers.evaluated import NOT_KEPT, PaperRules, PartFinding, evaluate
from fbftl.papers.fedfeat.claims import undecided
from fbftl.papers.formulas import FUNCTIONS
from fbftl.papers.measures import MEASURES, ClaimMeasure
from fbftl.papers.quantities import Runs
from fbftl.papers.record import PaperRecord
from fbftl.training.curves import RIGHT, packed

CONFIRMED, CONTRADICTED, MIXED, INCONCLUSIVE, NOT_TESTABLE = ClaimVerdict

RECORD = PaperRecord({}, {"A1": {
    "id": "A1", "where": "Table 1", "computed": "2", "published": "1", "unit": "", "verdict":
    "differs",
}})  # fmt: skip

TASKS = {
    "large": ClaimTask("large", classes=10, test_samples=10_000),
    "small": ClaimTask("small", classes=10, test_samples=100),
}

RULES = PaperRules(MEASURES, FUNCTIONS)

ROW = ClaimRow("x-01", "", "", "", "", ClaimForm.MORE, "", "accuracy", "a", "b", "", ("large",), "")


def runs(
    *diverged: tuple[str, int], name: str = "test_accuracy", **settings: Sequence[float]
) -> Runs:
    """Return runs of settings with a value for each seed."""
    table = pd.DataFrame(
        {
            "task": "large", "setting": setting, "seed": seed, name: value,
            "diverged": (setting, seed) in diverged,
        }
        for setting, values in settings.items()
        for seed, value in enumerate(values)
    )  # fmt: skip
    return Runs(table)


def only_part(row: ClaimRow, of: Runs, rules: PaperRules = RULES) -> PartFinding:
    """Return what the only part of a row comes to on its task."""
    (claim,) = evaluate([row], TASKS, dict.fromkeys(row.tasks, of), RECORD, rules)
    ((_, (part,)),) = claim.clauses
    assert claim.verdict is part.verdict
    return part


def test_an_accuracy_is_compared_by_seed_in_points():
    part = only_part(ROW, runs(a=[0.9, 0.8, 0.85], b=[0.7, 0.6, 0.65]))
    assert part.verdict is CONFIRMED
    assert part.effect == pytest.approx(20)
    assert 18 < part.lower < 20 < part.upper < 22


def test_a_small_test_set_leaves_open_what_a_large_one_decides():
    of = runs(a=[0.83, 0.82, 0.83], b=[0.8, 0.79, 0.8])
    assert only_part(ROW, of).verdict is CONFIRMED
    part = only_part(replace(ROW, tasks=("small",)), of)
    assert part.verdict is INCONCLUSIVE


def answered(**right: Sequence[Sequence[bool]]) -> Runs:
    """Return runs of settings with the right answers of each seed."""
    of = runs(**{setting: [np.mean(seed) for seed in seeds] for setting, seeds in right.items()})
    texts = [packed(np.array(seed)) for seeds in right.values() for seed in seeds]
    return Runs(of.table.assign(**{RIGHT: texts}))


def test_the_same_test_samples_right_on_both_sides_decide_what_shares_alone_leave_open():
    """A hundred samples, of which all seeds of the one side classify five more rightly."""
    a, b = ([number < least for number in range(100)] for least in (85, 80))
    part, of = replace(ROW, tasks=("small",)), answered(a=[a] * 3, b=[b] * 3)
    assert only_part(part, of).verdict is CONFIRMED
    assert only_part(part, Runs(of.table.drop(columns=RIGHT))).verdict is INCONCLUSIVE
    elsewhere = answered(a=[a] * 3, b=[b[::-1]] * 3)
    assert only_part(part, elsewhere).verdict is INCONCLUSIVE
    some = of.table.assign(**{RIGHT: of.table[RIGHT].mask(of.table["seed"] == 1)})
    assert only_part(part, Runs(some)).verdict is INCONCLUSIVE


def test_a_difference_of_differences_is_paired_by_test_sample():
    a, b = ([number < least for number in range(100)] for least in (90, 80))
    row = replace(ROW, a="a -> b", b="c -> d", tasks=("small",))
    part = only_part(row, answered(a=[a] * 3, b=[b] * 3, c=[b] * 3, d=[b] * 3))
    assert part.effect == pytest.approx(10)
    assert part.verdict is CONFIRMED


def test_a_run_that_diverged_counts_as_a_guess():
    failed = [("b", 0), ("b", 1), ("b", 2)]
    part = only_part(ROW, runs(*failed, a=[0.5, 0.5, 0.5], b=[0, 0, 0]))
    assert part.effect == pytest.approx(40)
    assert only_part(ROW, runs(*failed, a=[0.096, 0.1, 0.1], b=[0, 0, 0])).verdict is NOT_TESTABLE


def test_two_sides_at_chance_decide_nothing_and_one_of_them_loses():
    of = runs(a=[0.1, 0.1, 0.11], b=[0.5, 0.5, 0.5])
    assert only_part(ROW, of).verdict is CONTRADICTED
    assert only_part(replace(ROW, a="b", b="a"), of).verdict is CONFIRMED
    assert only_part(replace(ROW, form=ClaimForm.NO_LESS), of).verdict is CONTRADICTED
    both = runs(a=[0.1, 0.1, 0.11], b=[0.1, 0.1, 0.1])
    assert only_part(replace(ROW, form=ClaimForm.NO_LESS), both).note == "at chance"


def test_ratios_are_shown_in_times():
    row = replace(ROW, form=ClaimForm.TIMES, margin="100", measure="uplink_bits")
    part = only_part(row, runs(name="uplink_bits", a=[400, 200, 800], b=[2, 2, 2]))
    assert part.effect == pytest.approx(200)
    assert part.verdict is INCONCLUSIVE
    exact = only_part(row, runs(name="uplink_bits", a=[400, 400, 400], b=[2, 2, 2]))
    assert (exact.verdict, exact.lower, exact.upper) == (CONFIRMED, *2 * [pytest.approx(200)])


def test_a_difference_has_the_errors_of_all_its_settings():
    of = runs(a=[0.9, 0.9, 0.9], b=[0.8, 0.8, 0.8], c=[0.7, 0.7, 0.7], d=[0.65, 0.65, 0.65])
    alone, losses = only_part(ROW, of), only_part(replace(ROW, a="a -> b", b="c -> d"), of)
    assert losses.effect == pytest.approx(5)
    assert losses.upper - losses.lower > alone.upper - alone.lower > 0


def test_a_number_is_a_side():
    assert only_part(replace(ROW, b="10"), runs(a=[0.5, 0.5, 0.5])).effect == pytest.approx(40)


def test_parts_without_runs_are_listed_and_block_nothing():
    row = replace(ROW, b="{other}", over="other=b|c")
    of = runs(a=[0.9, 0.9, 0.9], b=[0.8, 0.8, 0.8])
    (claim,) = evaluate([row], TASKS, {"large": of}, RECORD, RULES)
    assert claim.verdict is CONFIRMED
    assert [part.note for _, parts in claim.clauses for part in parts] == ["", "not run"]
    for form in (ClaimForm.MORE, ClaimForm.EXISTS, ClaimForm.MOST):
        (claim,) = evaluate([replace(row, form=form)], TASKS, {}, RECORD, RULES)
        assert claim.verdict is NOT_TESTABLE


def test_what_means_do_not_measure_was_run_and_is_not_compared():
    kept = Runs(pd.DataFrame(), means={"a": (90.0, 1.0, 5), "b": (80.0, 1.0, 5)})
    assert only_part(ROW, kept).note == "from means alone"
    bits = replace(ROW, measure="uplink_bits")
    assert only_part(bits, kept).note == NOT_KEPT
    assert only_part(replace(bits, b="c"), kept).note == "not run"


def test_clauses_of_a_claim_are_judged_together():
    of = {"large": runs(a=[0.9, 0.9, 0.9], b=[0.8, 0.8, 0.8])}
    rows = [ROW, replace(ROW, a="b", b="a"), replace(ROW, id="x-02")]
    claims = evaluate(rows, TASKS, of, RECORD, RULES)
    assert [(claim.id, claim.verdict) for claim in claims] == [("x-01", MIXED), ("x-02", CONFIRMED)]


def test_one_case_shows_that_something_exists_and_none_that_it_does_not():
    row = replace(ROW, form=ClaimForm.EXISTS, b="{other}", over="other=b|c")
    of = {"large": runs(a=[0.8, 0.8, 0.8], b=[0.7, 0.7, 0.7], c=[0.9, 0.9, 0.9])}
    assert evaluate([row], TASKS, of, RECORD, RULES)[0].verdict is CONFIRMED
    (claim,) = evaluate([replace(row, over="other=c")], TASKS, of, RECORD, RULES)
    ((_, (part,)),) = claim.clauses
    assert (claim.verdict, part.verdict) == (INCONCLUSIVE, CONTRADICTED)


def test_what_is_identical_is_so_in_every_seed():
    row = replace(
        ROW, form=ClaimForm.FORMULA, measure="identical", a="accuracy: {along}", b="",
        over="along=a|b",
    )  # fmt: skip
    assert only_part(row, runs(a=[0.9, 0.8], b=[0.9, 0.8])).verdict is CONFIRMED
    assert only_part(row, runs(a=[0.9, 0.8], b=[0.9, 0.7])).verdict is CONTRADICTED
    assert only_part(row, runs(a=[0.9, 0.8])).verdict is NOT_TESTABLE


def test_fedfeat_decides_nothing_where_fedavg_guesses_in_a_seed():
    rules = PaperRules(MEASURES, undecided=undecided)
    row = replace(ROW, b="fedavg")
    guessing = runs(a=[0.9, 0.9, 0.9], fedavg=[0.5, 0.5, 0.1])
    assert "chance" in only_part(row, guessing, rules).note
    assert only_part(row, runs(a=[0.9, 0.9, 0.9], fedavg=[0.5, 0.5, 0.5]), rules).note == ""


def test_a_measure_without_classes_has_neither_chance_nor_test_set():
    tasks = {"large": ClaimTask("large", test_samples=150)}
    of = {"large": runs(name="rouge1", a=[5.0, 5.0, 5.0], b=[4.0, 4.0, 4.0])}
    (claim,) = evaluate([ROW], tasks, of, RECORD, RULES)
    ((_, (part,)),) = claim.clauses
    assert (part.verdict, part.lower, part.upper) == (CONFIRMED, 1.0, 1.0)


def test_counts_are_equal_without_a_printed_size():
    row = replace(ROW, form=ClaimForm.EQUAL, measure="uplink_bits")
    of = runs(name="uplink_bits", a=[8, 8, 8], b=[8, 8, 8])
    assert only_part(row, of).verdict is CONFIRMED
    measured = PaperRules({"uplink_bits": ClaimMeasure(MEASURES["uplink_bits"].values)})
    assert only_part(row, of, measured).verdict is INCONCLUSIVE


def test_a_formula_without_its_data_leaves_a_claim_open_and_a_task_that_was_not_run_does_not():
    formula = replace(ROW, form=ClaimForm.FORMULA, measure="unknown", a="a", b="")
    rules = replace(RULES, functions={"unknown": lambda case: None})
    ((of_data,),) = (evaluate([replace(formula, tasks=())], TASKS, {}, RECORD, rules),)
    ((of_runs,),) = (evaluate([formula], TASKS, {}, RECORD, rules),)
    assert (of_data.verdict, of_runs.verdict) == (INCONCLUSIVE, NOT_TESTABLE)
