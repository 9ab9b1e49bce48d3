"""The test set's error: the binomial one, and bounds that no answers to its samples exceed."""

import numpy as np
import pandas as pd
import pytest
from fbftl.findings.sampling_error import error_of, error_of_difference, size_of_test_set
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
def test_no_answers_have_a_larger_error(seed: int, p: float):
    first, second = answers(seed, seeds=3, p=p), answers(seed + 100, seeds=3, p=p)
    accuracy, other = pd.Series([first.mean()]), pd.Series([second.mean()])
    assert first.std() / SAMPLES**0.5 <= error_of(accuracy, SAMPLES)[0] + 1e-12
    error = (first - second).std() / SAMPLES**0.5
    assert error <= error_of_difference(accuracy, other, SAMPLES)[0] + 1e-12


@pytest.mark.parametrize(("wrong", "other_wrong"), [(3, 5), (0, 4), (0, 0)])
def test_methods_that_err_on_different_samples_have_the_most(wrong: int, other_wrong: int):
    first, second = np.ones(SAMPLES), np.ones(SAMPLES)
    first[:wrong], second[SAMPLES - other_wrong :] = 0, 0
    most = error_of_difference(pd.Series([first.mean()]), second.mean(), SAMPLES)[0]
    assert most == pytest.approx((first - second).std() / SAMPLES**0.5)


def test_test_samples_are_counted_over_clients(tmp_path):
    assert size_of_test_set(client_file(tmp_path, [0, 1], test=[[0, 1], [0, 1, 1]])) == 5
