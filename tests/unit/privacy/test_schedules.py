"""Schedules spend their budget, conversions invert each other, the thesis's numbers come out."""

import math

import numpy as np
import pytest
from fbftl.ground.errors import UserError
from fbftl.privacy import schedules
from fbftl.privacy.accounting import (
    gaussian_epsilon,
    gaussian_sigma,
    loose_zcdp_epsilon,
    loose_zcdp_rho,
    schedule_budget,
)

BUDGET = 0.3927


def closed_form(budget: float, steps: int, gamma: float) -> np.ndarray:
    """Return the best schedule of plain gradient descent in closed form (thesis, Thm 4).

    It is printed with the -1 under the root, which spends 7 % less than R (A2).
    """
    root = math.sqrt(gamma)
    factor = (root**-steps - 1) / (1 - root) / budget
    return np.sqrt(factor * root ** np.arange(1, steps + 1))


def every_schedule(steps: int) -> dict[str, np.ndarray]:
    """Return every kind of schedule of so many steps."""
    by_name = {"uniform": schedules.uniform(BUDGET, steps)}
    for decay in (1.0, 3.0, 10.0, 30.0):
        by_name[f"exp {decay}"] = schedules.exponential(BUDGET, steps, decay)
    for gamma in (0.5, 0.9, 0.99):
        by_name[f"closed form {gamma}"] = closed_form(BUDGET, steps, gamma)
        for beta in (0.0, 0.5, 0.9):
            influence = schedules.momentum_influence(steps, gamma, beta)
            by_name[f"momentum {gamma} {beta}"] = schedules.optimal(BUDGET, influence)
    for name in ("uniform", "exp", "dynamic"):
        by_name[f"named {name}"] = schedules.named(name, BUDGET, steps, 3.0, 0.9)
    return by_name


@pytest.mark.parametrize("steps", [1, 2, 30, 150])
def test_every_schedule_spends_its_budget_and_no_more(steps):
    for name, multipliers in every_schedule(steps).items():
        assert multipliers.shape == (steps,)
        assert schedules.spent(multipliers) == pytest.approx(BUDGET, rel=1e-9), name
        assert schedules.affordable(multipliers, BUDGET) == steps, name


@pytest.mark.parametrize("epsilon", [0.01, 1, 4, 30])
@pytest.mark.parametrize("delta", [1e-12, 1e-8, 1e-3])
def test_conversions_invert_each_other_and_bound_the_exact(epsilon, delta):
    assert loose_zcdp_epsilon(loose_zcdp_rho(epsilon, delta), delta) == pytest.approx(
        epsilon, rel=1e-9
    )
    budget = schedule_budget(epsilon, delta, "zcdp")
    assert gaussian_epsilon(budget**-0.5, delta, "add-remove") < epsilon
    replaced = schedule_budget(epsilon, delta, "exact", "replace-one")
    assert replaced == pytest.approx(gaussian_sigma(epsilon, delta, "replace-one") ** -2)
    assert replaced == pytest.approx(schedule_budget(epsilon, delta, "exact") / 4)


def test_the_closed_form_is_lemma_1_for_plain_descent():
    for steps, gamma in ((7, 0.5), (50, 0.9), (150, 0.99)):
        influence = schedules.gradient_influence(steps, gamma)
        expected = schedules.optimal(BUDGET, influence)
        assert closed_form(BUDGET, steps, gamma) == pytest.approx(expected, rel=1e-9)
        decay = gamma ** (-(steps - 1) / 2)
        assert schedules.exponential(BUDGET, steps, decay) == pytest.approx(expected, rel=1e-9)


def test_no_other_schedule_of_the_budget_loses_less():
    influence = schedules.momentum_influence(40, 0.95, 0.9)
    best = schedules.optimal(BUDGET, influence)
    least = influence @ best**2
    assert least == pytest.approx(np.sqrt(influence).sum() ** 2 / BUDGET)
    rng = np.random.default_rng(0)
    for _ in range(20):
        other = best * np.exp(rng.normal(scale=0.1, size=40))
        other *= math.sqrt(schedules.spent(other) / BUDGET)
        assert influence @ other**2 > least


def test_momentum_influence_is_what_noise_does_to_momentum():
    """The coefficients of m_t are (1-beta) beta^(t-i) / (1-beta^t): unrolled here step by step."""
    steps, gamma, beta = 12, 0.8, 0.7
    expected = np.zeros(steps)
    for i in range(steps):
        velocity = 0.0
        for t in range(1, steps + 1):
            velocity = beta * velocity + (1 - beta) * (t == i + 1)
            expected[i] += gamma ** (steps - t) * (velocity / (1 - beta**t)) ** 2
    assert schedules.momentum_influence(steps, gamma, beta) == pytest.approx(expected, rel=1e-12)
    plain = schedules.momentum_influence(steps, gamma, 0.0)
    assert plain == pytest.approx(schedules.gradient_influence(steps, gamma))


@pytest.mark.parametrize("kappa", [2, 10, 100])
@pytest.mark.parametrize("alpha", [1e-5, 1e-3, 1e-1])
def test_the_closed_best_number_of_steps_is_the_scan_s(kappa, alpha):
    gamma = 1 - 1 / kappa
    closed = 2 * math.log(1 + (1 - math.sqrt(gamma)) ** 2 / alpha) / math.log(1 / gamma)
    best = schedules.best_steps(schedules.dynamic_bound, alpha, gamma, int(2 * closed) + 5)
    around = (math.floor(closed), math.ceil(closed))
    assert best in around
    assert best == min(around, key=lambda t: schedules.dynamic_bound(t, alpha, gamma))


def test_a_budget_below_what_the_first_step_costs_is_one_sentence():
    with pytest.raises(UserError, match="below the 1 that the first step"):
        schedules.affordable(np.array([1.0]), 0.5)


def test_a_budget_pays_for_some_steps_of_a_schedule():
    assert schedules.affordable(np.ones(10), 3.5) == 3


@pytest.mark.parametrize("gamma", [0.9, 0.97, 1.01])
def test_measured_influence_is_fitted_where_it_is_exponential(gamma):
    at = np.array([1, 8, 20, 33, 50])
    measured = 3e-4 * gamma ** (50.0 - at)
    fitted = schedules.fitted_gamma(50, at, measured, 0.1 * measured + 1e-6)
    assert fitted == pytest.approx(gamma, abs=1e-4)
