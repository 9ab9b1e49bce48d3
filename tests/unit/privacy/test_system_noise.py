"""Noise from the system's generator is distributed as the study's, and never the same."""

import numpy as np
from fbftl.methods.fbftl.deployed import system_noise, system_responses, system_uniforms
from fbftl.privacy.noise import keep_probability
from scipy.stats import binomtest, kstest

LEAST_PROBABLE = 1e-6
"""A test that draws from the system's generator has no seed: it fails once in a million runs."""


def test_normal_numbers_are_normal_and_independent_of_each_other():
    numbers = system_noise((400, 50))
    assert numbers.dtype == np.float32
    assert kstest(numbers.reshape(-1), "norm").pvalue > LEAST_PROBABLE
    correlation = np.corrcoef(numbers[:, 0::2].reshape(-1), numbers[:, 1::2].reshape(-1))[0, 1]
    assert abs(correlation) < 5 / np.sqrt(numbers.size / 2)
    assert (system_noise((400, 50)) != numbers).any()


def test_the_words_at_the_ends_give_numbers_between(monkeypatch):
    for byte in (b"\x00", b"\xff"):
        monkeypatch.setattr("os.urandom", lambda count, byte=byte: byte * count)
        number = system_uniforms((1,))[0]
        assert 0 < number < 1
        assert np.isfinite(system_noise((1,))).all()


def test_labels_stay_as_often_as_randomised_response_says():
    labels = np.arange(20_000) % 5
    answers = system_responses(labels, epsilon=1.0, classes=5)
    kept = int(np.count_nonzero(answers == labels))
    assert binomtest(kept, len(labels), keep_probability(1.0, 5)).pvalue > LEAST_PROBABLE
    assert set(answers.tolist()) == set(range(5))
