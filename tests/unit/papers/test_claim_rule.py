"""The one rule of verdicts, in closed forms and properties."""

import math
from dataclasses import replace

import numpy as np
import pytest
from fbftl.papers.claim_rows import ClaimForm
from fbftl.papers.claim_rule import (
    ClaimVerdict,
    Effect,
    in_most_parts,
    in_some_part,
    judged,
    region,
    together,
    variance_of_difference,
    variance_of_test_set,
)
from hypothesis import given
from hypothesis import strategies as st

CONFIRMED, CONTRADICTED, MIXED, INCONCLUSIVE, NOT_TESTABLE = ClaimVerdict

EFFECTS = st.builds(
    Effect,
    mean=st.floats(-10, 10),
    spread=st.floats(0.01, 10),
    seeds=st.integers(3, 30),
    of_test_set=st.floats(0, 4),
)


def exactly(mean: float) -> Effect:
    """Return an effect that is the same in all of three seeds."""
    return Effect(mean, 0.0, 3)


@pytest.mark.parametrize(
    ("form", "margin", "mean", "verdict"),
    [
        (ClaimForm.MORE, None, 0.1, CONFIRMED),
        (ClaimForm.MORE, None, 0.0, CONTRADICTED),
        (ClaimForm.MORE, 3.92, 4.0, CONFIRMED),
        (ClaimForm.MORE, 3.92, 3.0, CONTRADICTED),
        (ClaimForm.MONOTONE, None, 1.0, CONFIRMED),
        (ClaimForm.TIMES, 10.0, math.log(10), CONFIRMED),
        (ClaimForm.TIMES, 10.0, math.log(9.9), CONTRADICTED),
        (ClaimForm.TIMES, None, 0.0, CONFIRMED),
        (ClaimForm.EQUAL, 0.5, -0.5, CONFIRMED),
        (ClaimForm.EQUAL, 0.5, -0.6, CONTRADICTED),
        (ClaimForm.EQUAL, None, 0.0, INCONCLUSIVE),
        (ClaimForm.NO_LESS, 1.0, -1.0, CONFIRMED),
        (ClaimForm.NO_LESS, 1.0, -1.1, CONTRADICTED),
        (ClaimForm.NO_LESS, None, 0.0, CONFIRMED),
        (ClaimForm.EXISTS, None, 0.1, CONFIRMED),
        (ClaimForm.EXISTS, None, -9.0, CONTRADICTED),
        (ClaimForm.EXISTS, 100.0, math.log(101), CONFIRMED),
        (ClaimForm.EXISTS, 100.0, math.log(2), CONTRADICTED),
    ],
)
def test_each_form_has_its_region(form, margin, mean, verdict):
    assert judged(exactly(mean), region(form, margin)) is verdict


def test_counts_can_be_equal_exactly():
    allowed = region(ClaimForm.EQUAL, None, counted=True)
    assert judged(exactly(0.0), allowed) is CONFIRMED
    assert judged(exactly(1.0), allowed) is CONTRADICTED


def test_the_interval_is_student_s_where_no_test_set_counts():
    effect = Effect.of([1.0, 2.0, 3.0])
    reach = 4.302652729911275 / math.sqrt(3)
    assert effect.interval() == pytest.approx((2 - reach, 2 + reach))


def test_the_interval_is_normal_where_nothing_differs_by_seed():
    reach = 1.959963984540054 * 0.5
    assert Effect(1.0, 0.0, 5, 0.25).interval() == pytest.approx((1 - reach, 1 + reach))


def test_a_test_set_s_variance_is_binomial_and_never_nothing():
    assert variance_of_test_set(50, 9996) == pytest.approx(100**2 * 0.25 / 10_000)
    assert variance_of_test_set(100, 359) > 0
    assert variance_of_test_set(100, 359) == pytest.approx(variance_of_test_set(0, 359))


def test_a_difference_s_variance_is_that_of_paired_proportions():
    """Agresti and Min (2005): half an answer more in each of the four cells."""
    alone, other, samples = 30, 12, 400
    percents = np.zeros(samples)
    percents[:alone], percents[alone : alone + other] = 100, -100
    more, n = (alone + 0.5, other + 0.5), samples + 2
    expected = (sum(more) - (more[0] - more[1]) ** 2 / n) / n**2
    assert variance_of_difference(percents) == pytest.approx(100**2 * expected)
    assert variance_of_difference(np.zeros(samples)) > 0


def test_the_error_of_a_paired_difference_is_what_drawing_test_samples_shows():
    rng = np.random.default_rng(0)
    first = rng.random(2000) < 0.9
    second = np.where(rng.random(2000) < 0.05, ~first, first)
    percents = 100 * (first.astype(float) - second)
    drawn = [percents[rng.integers(0, 2000, 2000)].mean() for _ in range(2000)]
    assert variance_of_difference(percents) == pytest.approx(np.var(drawn), rel=0.1)


def test_two_seeds_decide_nothing():
    assert judged(Effect(5.0, 0.0, 2), region(ClaimForm.MORE, None)) is INCONCLUSIVE
    assert Effect.of([1.0]).interval() == (-math.inf, math.inf)


@given(EFFECTS)
def test_more_seeds_and_larger_test_sets_narrow_the_interval(effect):
    lower, upper = effect.interval()
    for narrower in (replace(effect, seeds=effect.seeds + 1), replace(effect, of_test_set=0)):
        inner = narrower.interval()
        assert lower - 1e-9 <= inner[0] <= inner[1] <= upper + 1e-9


@given(EFFECTS)
def test_a_claim_and_its_opposite_are_never_both_confirmed(effect):
    allowed = region(ClaimForm.MORE, None)
    verdict = judged(effect, allowed)
    opposite = judged(replace(effect, mean=-effect.mean), allowed)
    assert (verdict is CONFIRMED) == (opposite is CONTRADICTED)


def test_five_in_a_hundred_null_effects_are_decided():
    draws = np.random.default_rng(0).normal(size=(4000, 5))
    allowed = region(ClaimForm.MORE, None)
    decided = [judged(Effect.of(list(of)), allowed) is not INCONCLUSIVE for of in draws]
    assert np.mean(decided) == pytest.approx(0.05, abs=0.01)


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        ([CONFIRMED, CONFIRMED], CONFIRMED),
        ([CONTRADICTED], CONTRADICTED),
        ([CONFIRMED, CONTRADICTED, INCONCLUSIVE], MIXED),
        ([CONFIRMED, INCONCLUSIVE], INCONCLUSIVE),
        ([], NOT_TESTABLE),
    ],
)
def test_parts_come_to_what_all_do(parts, verdict):
    assert together(parts) is verdict


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [([CONFIRMED, INCONCLUSIVE], CONFIRMED), ([INCONCLUSIVE, CONTRADICTED], INCONCLUSIVE)],
)
def test_one_part_shows_that_something_exists(parts, verdict):
    assert in_some_part(parts) is verdict


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        ([CONFIRMED, CONFIRMED, CONTRADICTED], CONFIRMED),
        ([CONFIRMED, CONFIRMED, INCONCLUSIVE], CONFIRMED),
        ([CONFIRMED, CONTRADICTED], CONTRADICTED),
        ([CONFIRMED, INCONCLUSIVE, CONTRADICTED], INCONCLUSIVE),
    ],
)
def test_more_than_half_of_the_parts_are_most(parts, verdict):
    assert in_most_parts(parts) is verdict
