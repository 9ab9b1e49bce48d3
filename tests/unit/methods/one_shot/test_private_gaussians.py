"""Gaussians under noise: how far a sample moves them, what they are without, and what noise is."""

import numpy as np
import pytest
from fbftl.methods.one_shot.messages.mixtures import Fitting, GaussiansMessage
from fbftl.privacy.statistics import sensitivity
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

WIDTH, CLASSES = 3, 4
LEAST = 1e-4


def message(spherical: bool, noise: float = 0.0) -> GaussiansMessage:
    return GaussiansMessage(CLASSES, WIDTH, Fitting(LEAST, spherical), noise, 1, 0)


def within_one(rows: np.ndarray) -> np.ndarray:
    """Return rows of length one at most."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.maximum(lengths, 1)


@pytest.mark.parametrize("spherical", [True, False])
@given(
    arrays(float, (2, WIDTH), elements=st.floats(-1, 1)),
    st.tuples(*[st.integers(0, CLASSES - 1)] * 2),
)
def test_a_replaced_sample_moves_them_as_far_as_statistics_at_most(spherical, rows, labels):
    rows = within_one(rows)
    sums = [message(spherical).sums(rows[[n]], np.array([labels[n]])) for n in (0, 1)]
    assert np.linalg.norm(sums[0] - sums[1]) <= sensitivity(1.0, "replace-one") + 1e-9


def test_two_samples_of_two_classes_move_them_so_far():
    rows = np.eye(2, WIDTH)
    sums = [message(True).sums(rows[[n]], np.array([n])) for n in (0, 1)]
    assert np.linalg.norm(sums[0] - sums[1]) == pytest.approx(sensitivity(1.0, "replace-one"))


@pytest.mark.parametrize("spherical", [True, False])
def test_without_noise_they_are_mean_and_variance_of_each_class(spherical):
    rows = within_one(np.random.default_rng(0).normal(0.1, 0.2, (60, WIDTH)))
    labels, gaussians = np.arange(60) % 3, message(spherical)  # of the last class there is none
    drawn = gaussians.combined([(5, gaussians.summary(5, rows, labels))])
    assert np.bincount(drawn.labels, minlength=CLASSES).tolist() == [20, 20, 20, 0]
    assert set(drawn.client) == {5}
    for label in range(3):
        of_class = rows[labels == label]
        gaussian = gaussians._gaussian(20, gaussians.sums(rows, labels)[label, 1:])
        fitted = gaussians.fitting.fitted(of_class, 1, np.random.default_rng(0))
        assert np.allclose(gaussian.rows(), fitted.rows())


def test_every_number_has_noise_of_its_own_and_the_length_tells_nothing():
    noised, rows = message(False, noise=2.0), np.zeros((8, WIDTH))
    labels = np.zeros(8, dtype=int)
    apart = []
    for client in range(400):
        summary = noised.summary(client, rows, labels)
        sent = np.hstack([summary.counts[:, None], summary.tables[0].rows])
        apart.append(sent - noised.sums(rows, labels))
    assert np.std(apart, axis=0) == pytest.approx(2.0, rel=0.15)
    assert noised.shape(0, rows, labels) == noised.shape(1, rows[:1], labels[:1] + 3)


def test_what_noise_makes_of_a_class_is_no_impossible_gaussian():
    gaussians = message(True)
    gaussian = gaussians._gaussian(1, np.array([30.0, 0, 0, -5]))
    assert gaussian.means.tolist() == [[1, 0, 0]]
    assert gaussian.variances.tolist() == [[LEAST]]
