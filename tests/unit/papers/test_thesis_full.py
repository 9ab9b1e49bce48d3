"""What sentences on budgets and FADE compare: picked schedules, slopes, levels, users."""

import numpy as np
import pandas as pd
import pytest
from fbftl.papers.thesis.central import largest_difference
from fbftl.papers.thesis.claims_budget import EVEN, SENTENCES, setting, slope_of_influence
from fbftl.papers.thesis.claims_fade import ADAPTATION, adapted
from unit.papers.claimed import runs_of


def test_the_one_schedule_of_a_number_of_rows_is_the_picked_one():
    few, many = (EVEN | {"fraction": f, "descent_steps": 50} for f in (0.1, 0.2))
    runs = runs_of((few, {"seen": [100] * 3}), (many, {"seen": [200] * 3}))
    assert setting(runs, 100) == few
    assert setting(runs, 200) == many
    assert runs.measured("seen", **setting(runs, 300)).values.empty


def test_of_several_schedules_the_usual_one_counts():
    usual, other = EVEN, EVEN | {"descent_steps": 50}
    runs = runs_of((usual, {"seen": [300] * 3}), (other, {"seen": [300] * 3}))
    assert setting(runs, 300) == usual


def added_by(influence: dict[int, float], before: pd.Series) -> dict[int, pd.Series]:
    """Return losses by step that doubled noise leaves, of so much influence in the mean."""
    spread = np.linspace(0.5, 1.5, len(before))
    return {
        step: before + of_step * np.roll(spread, place)
        for place, (step, of_step) in enumerate(influence.items())
    }


def test_influence_that_grows_exponentially_has_its_exponent_as_slope():
    before = pd.Series(np.linspace(1, 2, 6))
    for rate in (0.07, -0.01):
        grows = {step: np.exp(rate * step) for step in (1, 10, 20)}
        slope = slope_of_influence(before, added_by(grows, before))
        assert slope.mean() == pytest.approx(rate, abs=0.01)


def test_influence_below_zero_has_a_slope():
    before = pd.Series(np.linspace(1, 2, 6))
    slope = slope_of_influence(before, added_by({1: -0.01, 10: 0.1, 20: 1.0}, before))
    assert slope.mean() > 0.05


def test_losses_that_nothing_adds_to_have_no_slope():
    before = pd.Series([1.0, 1.0, 1.0])
    assert slope_of_influence(before, {1: before, 2: before}).empty
    assert slope_of_influence(before, {}).empty


def test_strict_budgets_are_beside_the_loosest():
    rows = []
    for epsilon, gain in ((1.0, 3.0), (8.0, 2.0)):
        even = EVEN | {"epsilon": epsilon, "fraction": 0.6667}
        falling = even | {"schedule": "exp", "decay": 3.0}
        rows += [(even, {"seen": [200] * 3, "training_loss": [gain] * 3})]
        rows += [(falling, {"seen": [200] * 3, "training_loss": [1.0] * 3})]
    loose, strict = SENTENCES["c2-03"]["epsilon_1"](runs_of(*rows))
    assert (loose.values.tolist(), strict.values.tolist()) == ([2.0] * 3, [3.0] * 3)


def test_the_lowest_loss_that_both_reach_counts():
    plain, squared = (adapted(kind, minority_participation=0.5) for kind in ("plain", "squared"))
    nan = float("nan")
    runs = runs_of(
        (plain, {"rounds_to_loss_100": [10, 10, nan], "rounds_to_loss_50": [40, nan, nan]}),
        (squared, {"rounds_to_loss_100": [5, 5, 5], "rounds_to_loss_50": [20, 20, nan]}),
    )
    first, second = ADAPTATION["c3-12"]["0.5"](runs)
    assert first.values.to_dict() == {0: 20, 1: 5}
    assert second.values.to_dict() == {0: 40, 1: 10}


def test_all_users_at_once_are_as_one():
    assert largest_difference() < 1e-5
