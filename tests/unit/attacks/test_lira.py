"""LiRA and RMIA: likelihood ratios by closed forms, thresholds, who is attacked."""

from functools import cache

import numpy as np
import pytest
from fbftl.attacks.choice import Rmia, dominated, shared_spread, spread_per_sample
from fbftl.attacks.shadows import Population, TargetView, against
from hypothesis import given
from hypothesis import strategies as st
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


@pytest.mark.parametrize("offset", [None, 0.0, 0.3, 1.0])
def test_scores_are_the_share_of_pairs(offset):
    """Every x beside every z, as the authors' code counts them."""
    models, shadows = trained_on_halves(1.0, models=16, samples=50), [0, 1, 2, *range(4, 16)]
    target, p = 3, 1 / (1 + np.exp(-models.confidence))
    z = 1 / (1 + np.exp(-models.unseen))
    expected = []
    for x in range(50):
        outside, inside = (
            np.mean([p[k, x] for k in shadows if which[k, x]])
            for which in (models.other, models.member)
        )
        a = offset or 0.0
        mean_x = (inside + outside) / 2 if offset is None else (1 + a) / 2 * outside + (1 - a) / 2
        hits = 0
        for each in range(50):
            mean_z = np.mean([z[k, each] for k in shadows])
            if offset is not None:
                mean_z = (1 + a) / 2 * mean_z + (1 - a) / 2
            hits += (p[target, x] / mean_x) / (z[target, each] / mean_z) > 1
        expected.append(hits / 50)
    scores = Rmia(offset)(against(models, target, shadows))
    np.testing.assert_array_equal(scores, expected)


ratios = st.lists(st.sampled_from([0.25, 0.5, 1.0, 1.5, 2.0, 4.0]), min_size=1, max_size=8)


@given(ratios, ratios, st.sampled_from([1.0, 2.0]))
def test_a_candidate_dominates_strictly(candidates, references, gamma):
    shares = [np.mean([x / z > gamma for z in references]) for x in candidates]
    result = dominated(np.array(candidates), np.array(references), gamma)
    np.testing.assert_allclose(result, shares)


@pytest.mark.parametrize("offset", [None, 0.3])
def test_probabilities_of_nearly_nothing_give_numbers(offset):
    models = trained_on_halves(0.0, models=5, samples=20)
    far = Population(1e3 * models.confidence, models.member, models.other, 1e3 * models.unseen)
    scores = Rmia(offset)(against(far, 0, [1, 2, 3, 4]))
    assert np.isfinite(scores).all()


def test_a_sample_without_shadows_on_one_side_is_compared_with_the_target_itself():
    member = np.zeros((3, 2), dtype=bool)
    member[1:, 0] = True
    models = Population(np.ones((3, 2)), member, ~member, np.zeros((3, 4)))
    seen = against(models, 0, [1, 2])
    np.testing.assert_array_equal(seen.probability_outside, seen.probability)
    np.testing.assert_array_equal(seen.probability_inside, seen.probability)
