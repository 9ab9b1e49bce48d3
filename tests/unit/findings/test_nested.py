"""The nested analysis of variance: closed forms, SciPy's F, and components that come back."""

import math

import numpy as np
import pytest
from fbftl.findings.nested import components
from scipy.stats import f_oneway

TRIALS = 20_000


def test_components_are_those_by_hand():
    found = components([[1.0, 3.0], [5.0, 7.0]])
    assert (found["mean"], found["within"], found["between"]) == (4.0, 2.0, 16.0)
    assert (found["seeds_variance"], found["sources_variance"]) == (2.0, 7.0)
    assert (found["seeds_spread"], found["sources_spread"]) == (math.sqrt(2), math.sqrt(7))
    assert found["error"] == 2.0
    assert found["seeds_error"] == pytest.approx(math.sqrt(2 * 2**2 / (2 + 2)))
    of_between = 2 * 16**2 / (1 + 2)
    assert found["sources_error"] == pytest.approx(math.sqrt((of_between + 2.0) / 2**2))


def test_one_seed_of_each_source_leaves_the_parts_open():
    found = components([[0.5], [0.7]])
    assert (found["mean"], found["error"]) == (pytest.approx(0.6), pytest.approx(0.1))
    assert math.isnan(found["seeds_variance"])
    assert math.isnan(found["sources_variance"])
    assert math.isnan(found["sources_spread"])


@pytest.mark.parametrize("scores", [[], [[1.0, 2.0]], [[1.0, 2.0], [1.0]], [[], []]])
def test_what_is_not_balanced_is_refused(scores: list[list[float]]):
    with pytest.raises(ValueError, match="not balanced"):
        components(scores)


def test_the_mean_squares_are_those_of_an_f_test():
    scores = np.random.default_rng(0).normal(size=(4, 6))
    found = components(scores)
    assert found["between"] / found["within"] == pytest.approx(f_oneway(*scores).statistic)


@pytest.mark.parametrize(("of_sources", "of_seeds"), [(1.0, 2.0), (2.0, 0.5), (0.0, 1.0)])
def test_components_are_recovered_in_the_mean_with_their_errors(of_sources: float, of_seeds: float):
    """Five sources of three seeds, drawn many times with known deviations."""
    random = np.random.default_rng(1)
    sources = of_sources * random.normal(size=(TRIALS, 5, 1))
    every = [components(s) for s in 10 + sources + of_seeds * random.normal(size=(TRIALS, 5, 3))]
    for name, variance in (("seeds", of_seeds**2), ("sources", of_sources**2)):
        estimates = np.array([found[f"{name}_variance"] for found in every])
        tolerance = 5 * estimates.std() / math.sqrt(TRIALS)
        assert estimates.mean() == pytest.approx(variance, abs=tolerance)
        errors = np.array([found[f"{name}_error"] for found in every])
        assert (errors**2).mean() == pytest.approx(estimates.var(), rel=0.1)
    means = np.array([found["mean"] for found in every])
    assert np.mean([found["error"] ** 2 for found in every]) == pytest.approx(means.var(), rel=0.05)
