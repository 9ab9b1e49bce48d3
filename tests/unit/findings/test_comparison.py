"""Verdicts: what the rule decides, and how seldom where there is nothing; the Pareto front."""

import math

import numpy as np
import pandas as pd
import pytest
from fbftl.findings.comparison import Measured, Verdict, on_front, verdict
from hypothesis import given
from hypothesis import strategies as st

REPETITIONS = 4000
SAMPLING = 3 * math.sqrt(0.05 * 0.95 / REPETITIONS)
"""Three deviations of a share of 5 % among the repetitions."""


def shares(differences: np.ndarray, *claimed: float) -> dict[Verdict, float]:
    verdicts = [verdict(Measured.of(list(row)), *claimed) for row in differences]
    return {word: verdicts.count(word) / len(verdicts) for word in Verdict}


@pytest.mark.parametrize("seeds", [3, 8])
def test_no_effect_is_decided_in_one_of_twenty_cases_each_way(seeds: int) -> None:
    """So is what lies on the edge of a band."""
    normal = np.random.default_rng(seeds).normal(size=(REPETITIONS, seeds))
    null = shares(normal)
    for decided in (null, *(shares(edge + 0.3 * normal, -1.0, 1.0) for edge in (-1.0, 1.0))):
        assert decided[Verdict.REPRODUCED] <= 0.05 + SAMPLING
        assert decided[Verdict.DIFFERS] <= 0.05 + SAMPLING
    # Two standard errors at three seeds would be 9 %; a rule that never decides would be 0.
    assert null[Verdict.DIFFERS] >= 0.05 - SAMPLING


@pytest.mark.parametrize("values", [[5.0], [5.0, 5.0]])
def test_fewer_than_three_seeds_decide_nothing(values: list[float]) -> None:
    assert verdict(Measured.of(values)) is Verdict.UNDECIDED
    assert verdict(Measured.of([5.0] * 3)) is Verdict.REPRODUCED


def test_equal_is_inside_a_band() -> None:
    assert verdict(Measured.of([0.1, -0.1, 0.0]), -1, 1) is Verdict.REPRODUCED
    assert verdict(Measured.of([1.9, -1.9, 0.0]), -1, 1) is Verdict.UNDECIDED
    assert verdict(Measured.of([3.1, 2.9, 3.0]), -1, 1) is Verdict.DIFFERS
    assert verdict(Measured.of([-3.1, -2.9, -3.0]), -1, 1) is Verdict.DIFFERS


def test_rounding_of_floats_is_no_effect() -> None:
    noise = (0.1 + 0.2) - 0.3
    assert noise > 0
    assert verdict(Measured.of([noise] * 3)) is Verdict.UNDECIDED


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=9), st.floats(-10, 10))
def test_a_claim_and_its_opposite_never_both_hold(values: list[float], margin: float) -> None:
    above = verdict(Measured.of(values), margin)
    below = verdict(Measured.of([-value for value in values]), -margin)
    opposite = {
        Verdict.REPRODUCED: Verdict.DIFFERS,
        Verdict.DIFFERS: Verdict.REPRODUCED,
        Verdict.UNDECIDED: Verdict.UNDECIDED,
    }
    assert below is opposite[above]


@given(st.lists(st.tuples(st.integers(1, 8), st.integers(0, 8)), min_size=1, max_size=12))
def test_the_front_holds_exactly_what_nothing_beats(points: list[tuple[int, int]]) -> None:
    """Of equal points all are on it, or none."""
    table = pd.DataFrame(points, columns=["cost", "score"])
    expected = [
        not any(c <= cost and s >= score and (c, s) != (cost, score) for c, s in points)
        for cost, score in points
    ]
    assert on_front(table["cost"], table["score"]).tolist() == expected
