"""Discrete Gaussian shares: their law, and what a sum of them is said to hide."""

from math import ceil, exp, log, pi, sqrt

import numpy as np
import pytest
from fbftl.ground.errors import UserError
from fbftl.privacy.accounting import (
    gaussian_epsilon,
    loose_zcdp_epsilon,
    zcdp_epsilon,
    zcdp_rho,
)
from fbftl.privacy.composition import NO_GUARANTEE, compose, gaussian, of_group, pure, zcdp_event
from fbftl.privacy.discrete_noise import (
    discrete_gaussian,
    moved_by,
    require_steps,
    root_of_twice_rho,
    tau,
)
from fbftl.privacy.statistics import sensitivity, shares_guarantee, shares_std
from fbftl.study.rings import LARGEST_NORMAL
from scipy.stats import chisquare


def law(parameter: float, reach: int) -> np.ndarray:
    """Return the probabilities of the whole numbers from -reach to reach."""
    x = np.arange(-reach, reach + 1)
    weights = np.exp(-(x**2) / (2 * parameter**2))
    return weights / weights.sum()


@pytest.mark.parametrize("parameter", [0.7, 4.0, 12.5])
def test_noise_has_the_discrete_gaussian_law(parameter):
    count, reach = 60_000, ceil(4 * parameter)
    noise = discrete_gaussian(parameter, count, np.random.default_rng(1)).clip(-reach, reach)
    expected = count * law(parameter, 40 * ceil(parameter))
    middle = len(expected) // 2
    cells = expected[middle - reach : middle + reach + 1].copy()
    cells[0] += expected[: middle - reach].sum()
    cells[-1] += expected[middle + reach + 1 :].sum()
    counts = np.bincount(noise + reach, minlength=2 * reach + 1)
    enough = cells > 5
    counts = [*counts[enough], counts[~enough].sum() + 1e-9]
    cells = [*cells[enough], cells[~enough].sum() + 1e-9]
    assert chisquare(counts, np.array(cells) * sum(counts) / sum(cells)).pvalue > 1e-3


def test_large_noise_has_its_deviation_and_stays_below_what_rings_count_on():
    parameter = 2.0**40 / 3
    noise = discrete_gaussian(parameter, 100_000, np.random.default_rng(2))
    assert noise.std() == pytest.approx(parameter, rel=0.01)
    assert abs(noise.mean()) < 4 * parameter / sqrt(len(noise))
    assert np.abs(noise).max() < LARGEST_NORMAL * parameter


def test_the_same_stream_draws_the_same_noise():
    first, second = (discrete_gaussian(9.0, 50, np.random.default_rng(3)) for _ in range(2))
    assert first.tolist() == second.tolist()


def test_shares_of_too_few_steps_are_refused():
    require_steps(4.0)
    with pytest.raises(UserError, match=r"share of the noise is 3.9 steps .* give more"):
        require_steps(3.9)


def test_a_sum_of_shares_is_nearly_one_discrete_gaussian():
    """By convolution: the most that two laws part, of which τ is the bound."""
    for parameter, shares in [(0.8, 2), (0.8, 3), (1.0, 4)]:
        one = law(parameter, 40)
        total = one
        for _ in range(shares - 1):
            total = np.convolve(total, one)
        wanted = law(sqrt(shares) * parameter, len(total) // 2)
        near = wanted > 1e-9
        parted = np.abs(np.log(total[near] / wanted[near])).max()
        assert 0 < parted <= tau(parameter, shares)
    assert tau(4.0, 1000) < 1e-60
    assert tau(0.8, 1) == 0


def test_concentrated_privacy_of_a_sum_is_that_of_its_length_over_its_deviation():
    assert root_of_twice_rho(6.0, 4.0, 9, 100) == pytest.approx(0.5)
    wanted = 6.0 / (3 * 0.8) + 10 * 10 * sum(
        exp(-2 * pi**2 * 0.64 * k / (k + 1)) for k in range(1, 9)
    )
    assert root_of_twice_rho(6.0, 0.8, 9, 100) == pytest.approx(wanted)


def test_rounding_moves_each_number_by_a_step_more():
    values = np.random.default_rng(4).normal(size=(2, 1000, 30))
    before = np.linalg.norm(values[0] - values[1], axis=1)
    after = np.linalg.norm(np.rint(values[0]) - np.rint(values[1]), axis=1)
    assert (after <= [moved_by(length, 30, 0) for length in before]).all()
    assert moved_by(2.0, 0, 3) == 16.0


@pytest.mark.parametrize("rho", [1e-4, 0.05, 0.5, 3.0, 100.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-5])
def test_concentrated_privacy_costs_more_than_a_gaussian_and_less_than_printed(rho, delta):
    epsilon = zcdp_epsilon(rho, delta)
    exact = gaussian_epsilon(2 / sqrt(2 * rho), delta, "replace-one")
    assert exact <= epsilon <= loose_zcdp_epsilon(rho, delta)
    orders = 1 + np.geomspace(1e-3, 1e6, 20_000)
    bounds = orders * rho + np.log1p(-1 / orders) - np.log(delta * orders) / (orders - 1)
    assert epsilon == pytest.approx(max(0.0, bounds.min()), rel=1e-5)


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0, 50.0])
def test_rho_is_the_largest_that_meets_epsilon(epsilon):
    rho = zcdp_rho(epsilon, 1e-6)
    assert epsilon * (1 - 1e-3) <= zcdp_epsilon(rho, 1e-6) <= epsilon


def test_shares_are_calibrated_to_epsilon_with_their_rounding():
    std = shares_std(2.0, 1e-6, 10_000, 8)
    plain = sensitivity(1.0, "replace-one") / sqrt(2 * zcdp_rho(2.0, 1e-6))
    assert std == pytest.approx(plain + 100 / 2**8 / sqrt(2 * zcdp_rho(2.0, 1e-6)))
    record = shares_guarantee(
        clip_norm=3.0, std=std, delta=1e-6, numbers=10_000, fraction_bits=8, planned=50, arrived=50
    )
    assert record.epsilon == pytest.approx(2.0, rel=1e-3)
    assert record.epsilon <= 2.0 + 1e-9
    assert (record.accountant, record.noise_std) == ("zCDP", pytest.approx(std))


def test_of_fewer_arrivals_there_is_less_noise_and_more_epsilon():
    common = {"clip_norm": 1.0, "std": 10.0, "delta": 1e-6, "numbers": 100, "fraction_bits": 20}
    records = [shares_guarantee(**common, planned=100, arrived=arrived) for arrived in (100, 25)]
    assert records[1].noise_std == pytest.approx(5.0)
    half = shares_guarantee(**(common | {"std": 5.0}), planned=25, arrived=25)
    assert records[1].epsilon == pytest.approx(half.epsilon)
    assert records[0].epsilon < records[1].epsilon


def test_concentrated_events_add_their_rho_to_gaussian_ones():
    delta, both = 1e-6, [zcdp_event(3.0), gaussian(4.0)]
    rho = 2 / 9 + 2 / 16
    composed = compose(both, delta, "replace-one")
    assert composed.epsilon == pytest.approx(zcdp_epsilon(rho, delta))
    assert composed.accountant == "zCDP"
    assert compose(both, delta, "add-remove").epsilon < composed.epsilon
    mixed = compose([zcdp_event(3.0), pure(0.5)], delta, "replace-one")
    assert mixed.epsilon == pytest.approx(zcdp_epsilon(2 / 9, delta / 2) + 0.5)
    assert compose([zcdp_event(3.0), NO_GUARANTEE], delta, "replace-one").epsilon == float("inf")


def test_a_group_of_rows_moves_a_sum_as_far_as_they_are_many():
    (event,) = of_group([zcdp_event(6.0)], 3)
    assert (event.kind, event.multiplier) == ("concentrated", pytest.approx(2.0))
    assert log(compose([event], 1e-6, "replace-one").epsilon) > 0
