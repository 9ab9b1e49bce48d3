"""What messages tell: everything of a class with one sample, little of a sum."""

import numpy as np
import pytest
from fbftl.attacks.label_recovery import EXACT, errors, guesses, root_of_rank_one
from fbftl.messages.statistics import Statistics

CLASSES = 3


def samples() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return features, labels and clients of four samples: the first client's classes differ."""
    values = np.random.default_rng(0).normal(size=(40, 6)).astype(np.float32)
    return values, np.arange(40) % CLASSES, np.arange(40) // 4


def test_means_tell_the_samples_that_are_alone_in_their_class():
    values, labels, client = samples()
    exact = errors(guesses("means", values, labels, client, CLASSES), values) < EXACT
    pairs = client * CLASSES + labels
    assert (exact == (np.bincount(pairs)[pairs] == 1)).all()
    assert 0 < exact.mean() < 1
    alone = errors(guesses("means", values, labels, np.arange(40), CLASSES), values)
    assert (alone < EXACT).all()


def test_a_sum_tells_class_means_over_all_clients():
    values, labels, client = samples()
    guess = guesses("sum", values, labels, client, CLASSES)
    for label in range(CLASSES):
        assert guess[labels == label] == pytest.approx(
            np.tile(values[labels == label].mean(axis=0), ((labels == label).sum(), 1)), abs=1e-6
        )


def test_second_moments_of_one_sample_are_its_square():
    row = np.abs(samples()[0][:1]).astype(np.float64)
    scatter = Statistics.of(row, np.array([0]), CLASSES).scatter
    assert root_of_rank_one(scatter) == pytest.approx(row[0])
    assert (root_of_rank_one(np.zeros((3, 3))) == 0).all()
