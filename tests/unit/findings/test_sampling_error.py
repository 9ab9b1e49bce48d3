"""Errors of an accuracy by its test set, seeds and source networks: closed forms and bounds."""

import math

import numpy as np
import pandas as pd
import pytest
from fbftl.findings.sampling_error import (
    components,
    error_of,
    error_of_difference,
    size_of_test_set,
)
from unit.findings.made_up import client_file

SAMPLES = 40


def answers(seed: int, seeds: int, p: float) -> np.ndarray:
    """Return the share of seeds that answer each sample right, samples unequally hard."""
    random = np.random.default_rng(seed)
    easy = np.clip(p + random.normal(scale=0.3, size=SAMPLES), 0, 1)
    return (random.random((seeds, SAMPLES)) < easy).mean(0)


def test_seeds_that_answer_alike_have_the_binomial_error():
    right = answers(0, seeds=1, p=0.7)
    assert error_of(pd.Series([right.mean()]), SAMPLES)[0] == pytest.approx(
        right.std() / SAMPLES**0.5
    )


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("seed", range(20))
def test_no_answers_have_a_larger_error(seed, p):
    first, second = answers(seed, seeds=3, p=p), answers(seed + 100, seeds=3, p=p)
    accuracy, other = pd.Series([first.mean()]), pd.Series([second.mean()])
    assert first.std() / SAMPLES**0.5 <= error_of(accuracy, SAMPLES)[0] + 1e-12
    error = (first - second).std() / SAMPLES**0.5
    assert error <= error_of_difference(accuracy, other, SAMPLES)[0] + 1e-12


@pytest.mark.parametrize(("wrong", "other_wrong"), [(3, 5), (0, 4), (0, 0)])
def test_methods_that_err_on_different_samples_have_the_most(wrong, other_wrong):
    first, second = np.ones(SAMPLES), np.ones(SAMPLES)
    first[:wrong], second[SAMPLES - other_wrong :] = 0, 0
    most = error_of_difference(pd.Series([first.mean()]), second.mean(), SAMPLES)[0]
    assert most == pytest.approx((first - second).std() / SAMPLES**0.5)


def test_test_samples_are_counted_over_clients(tmp_path):
    assert size_of_test_set(client_file(tmp_path, [0, 1], test=[[0, 1], [0, 1, 1]])) == 5


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
def test_what_is_not_balanced_is_refused(scores):
    with pytest.raises(ValueError, match="not balanced"):
        components(scores)
