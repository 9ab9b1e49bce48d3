"""Trade-off curves against closed forms, each other, and what the accountant says."""

from math import exp

import numpy as np
import pytest
from fbftl.privacy.accounting import gaussian_delta
from fbftl.privacy.discrete_noise import discrete_gaussian
from fbftl.privacy.tradeoffs import (
    AccountantsTradeOff,
    GaussianTradeOff,
    LaplaceTradeOff,
    ResponseTradeOff,
    gaussian_tradeoff,
    sampled_tradeoff,
    together,
)
from scipy.stats import laplace, norm

RATES = np.linspace(1e-4, 1 - 1e-4, 997)


@pytest.mark.parametrize(
    "curve",
    [GaussianTradeOff(0.7), LaplaceTradeOff(1.5), ResponseTradeOff(2.0, 10)],
)
def test_a_curve_is_concave_rises_and_is_its_own_inverse(curve):
    power = curve.power(RATES)
    assert (power >= RATES).all()
    assert (np.diff(power) >= 0).all()
    assert (np.diff(power, 2) < 1e-12).all()
    np.testing.assert_allclose(1 - curve.power(1 - power), RATES, atol=1e-12)


def test_laplace_has_the_rates_of_thresholds_on_two_laplace_laws():
    thresholds = np.linspace(-3, 5, 81)
    power = LaplaceTradeOff(2.0).power(laplace.sf(thresholds))
    np.testing.assert_allclose(power, laplace.sf(thresholds - 2.0), atol=1e-12)


@pytest.mark.parametrize("curve", [LaplaceTradeOff(1.2), ResponseTradeOff(1.2, 2)])
def test_pure_guarantees_meet_their_epsilon_and_no_more(curve):
    power = curve.power(RATES)
    assert (power <= np.minimum(exp(1.2) * RATES, 1 - exp(-1.2) * (1 - RATES)) + 1e-12).all()
    assert curve.power(1e-3) == pytest.approx(exp(1.2) * 1e-3)


def test_gaussian_noise_has_the_delta_that_it_is_calibrated_to():
    """The largest of power - e^epsilon alarms is delta."""
    curve, rates = gaussian_tradeoff(2.0, 1e-3), norm.sf(np.linspace(-8, 8, 20001))
    assert (curve.power(rates) - exp(2.0) * rates).max() == pytest.approx(1e-3, rel=1e-4)


def test_two_releases_are_one_of_the_root_of_two():
    assert together(GaussianTradeOff(1.0), GaussianTradeOff(1.0)).mu == pytest.approx(2**0.5)


def test_an_accountants_curve_of_gaussian_noise_is_the_gaussian_curve():
    epsilons = np.linspace(0, 6, 400)
    deltas = np.array([gaussian_delta(1.0, e, "zero-out") for e in epsilons])
    power = AccountantsTradeOff(epsilons, deltas).power(RATES)
    np.testing.assert_allclose(power, GaussianTradeOff(1.0).power(RATES), atol=2e-4)
    assert (power >= GaussianTradeOff(1.0).power(RATES) - 1e-12).all()


def test_sampled_records_have_the_mixture_of_both_outputs():
    """Of a record left out the larger of both directions: noise against mixture is one of them."""
    curve, thresholds = sampled_tradeoff(0.8, 0.3, "add-remove"), np.linspace(-2, 3, 51)
    alarms = norm.sf(thresholds / 0.8)
    mixture = 0.7 * alarms + 0.3 * norm.sf((thresholds - 1) / 0.8)
    excess = curve.power(alarms) - mixture
    assert (excess > -1e-9).all()
    assert excess.min() < 2e-3


def test_sums_of_discrete_gaussians_have_the_rates_of_one_gaussian():
    """By convolution: a sum of four shares of 8 steps, moved by 16, is mu 1 to four digits."""
    steps = np.arange(-400, 401)
    share = np.exp(-(steps**2) / (2 * 8.0**2))
    law = share / share.sum()
    for _ in range(2):
        law = np.convolve(law, law, "same")
    tail = np.cumsum(law[::-1])[::-1]
    alarms, hits = tail[16:], tail[:-16]
    inner = (alarms > 1e-6) & (alarms < 1 - 1e-6)
    np.testing.assert_allclose(hits[inner], GaussianTradeOff(1.0).power(alarms[inner]), atol=2e-4)
    drawn = discrete_gaussian(8.0, 20_000, np.random.default_rng(0))
    assert drawn.std() == pytest.approx(8.0, rel=0.03)
