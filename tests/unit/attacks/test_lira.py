"""The likelihood ratio attack: closed forms on normal confidences, and rates that hold."""

from functools import cache

import numpy as np
import pytest
from fbftl.attacks.choice import shared_spread, spread_per_sample
from fbftl.attacks.shadows import Population, TargetView, against
from scipy.stats import binom, norm, t
from unit.attacks.gaussian_models import few_shadows, trained_on_halves

SAMPLES = 20_000
ALARMS = 0.01
BOTH = pytest.mark.parametrize("attack", [shared_spread, spread_per_sample])
SIDES = pytest.mark.parametrize("online", [False, True])


def rest(models: Population, target: int) -> TargetView:
    """Return what is known against a target whose shadows are all other models."""
    everyone = range(len(models.confidence))
    return against(models, target, [model for model in everyone if model != target])


@cache
def many() -> TargetView:
    """Two hundred shadows that saw every sample, and as many that saw none."""
    return few_shadows(np.full(SAMPLES, 2.0), 200, 1.0, inside=200)


def within(successes: int, trials: int, rate: float) -> bool:
    """Tell whether a binomial number lies within what one draw in ten thousand leaves."""
    low, high = binom.ppf([5e-5, 1 - 5e-5], trials, rate)
    return bool(low <= successes <= high)


def test_moments_are_those_of_the_shadows_alone():
    """Brute force, sample by sample; the target's confidence and membership are in none of them."""
    models = trained_on_halves(gain=1.0, models=7, samples=30)
    shadows = [0, 1, 4, 6]
    seen = against(models, 2, shadows)
    pairs = ((seen.inside, models.member), (seen.outside, models.other))
    for moments, which in pairs:
        for sample in range(30):
            values = models.confidence[shadows, sample][which[shadows, sample]]
            assert moments.count[sample] == len(values)
            if len(values):
                assert moments.mean[sample] == pytest.approx(values.mean())
                assert moments.squares[sample] == pytest.approx(
                    np.square(values - values.mean()).sum(), abs=1e-9
                )


@BOTH
@SIDES
def test_a_sample_that_no_shadow_can_tell_of_scores_nothing(attack, online):
    member = np.ones((3, 1), dtype=bool)
    models = Population(np.array([[1.0], [2.0], [3.0]]), member, ~member, np.zeros((3, 1)))
    assert [attack(rest(models, target), online=online).tolist() for target in range(3)] == [
        [0.0]
    ] * 3


def test_the_shared_ratio_is_the_logarithm_of_both_densities():
    seen = many()
    spreads = [
        np.sqrt(side.squares.sum() / (side.count - 1).sum()) for side in (seen.inside, seen.outside)
    ]
    expected = norm.logpdf(seen.confidence, seen.inside.mean, spreads[0]) - norm.logpdf(
        seen.confidence, seen.outside.mean, spreads[1]
    )
    np.testing.assert_allclose(shared_spread(seen, online=True), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("shadows", [2, 3, 7])
@pytest.mark.parametrize("spread", [0.1, 10.0])
def test_a_spread_per_sample_keeps_the_rate_of_false_positives_however_few_shadows(shadows, spread):
    """Above the nominal threshold lie as many others as it states, for small and large spreads."""
    spreads = np.where(np.arange(SAMPLES) % 4 < 2, spread, 1.0)
    seen = few_shadows(spreads, shadows)
    high = spread_per_sample(seen, online=False) > norm.isf(ALARMS)
    for kept_spread in (spread, 1.0):
        others = high[(spreads == kept_spread) & ~seen.models.member[0]]
        assert within(int(others.sum()), len(others), ALARMS)


def test_the_ratio_of_a_spread_per_sample_is_that_of_both_predicted_densities():
    seen = few_shadows(np.exp(np.linspace(-2, 2, 200)), 5, 1.0, inside=3)

    def log_density(side, freedom):
        scale = np.sqrt(side.squares / freedom * (1 + 1 / (freedom + 1)))
        return t.logpdf(seen.confidence, freedom, side.mean, scale)

    expected = log_density(seen.inside, 2) - log_density(seen.outside, 4)
    np.testing.assert_allclose(spread_per_sample(seen, online=True), expected, atol=1e-9)
