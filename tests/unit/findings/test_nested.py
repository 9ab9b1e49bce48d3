"""The nested analysis of variance: closed forms, and SciPy's F."""

import math

import numpy as np
import pytest
from fbftl.findings.nested import components
from scipy.stats import f_oneway


def test_components_are_those_by_hand():
    """Three sources of two seeds, with means 2, 6 and 4."""
    found = components([[1.0, 3.0], [5.0, 7.0], [4.0, 4.0]])
    assert found["mean"] == 4.0
    assert found["within"] == found["seeds_variance"] == pytest.approx(4 / 3)
    assert found["between"] == 8.0
    assert found["sources_variance"] == pytest.approx((8 - 4 / 3) / 2)
    assert found["seeds_spread"] == pytest.approx(math.sqrt(4 / 3))
    assert found["sources_spread"] == pytest.approx(math.sqrt((8 - 4 / 3) / 2))
    assert found["error"] == pytest.approx(math.sqrt(8 / 6))
    of_within = 2 * (4 / 3) ** 2 / (3 * (2 - 1) + 2)
    assert found["seeds_error"] == pytest.approx(math.sqrt(of_within))
    of_between = 2 * 8**2 / (3 + 1)
    assert found["sources_error"] == pytest.approx(math.sqrt(of_between + of_within) / 2)


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
