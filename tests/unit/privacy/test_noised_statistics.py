"""Sensitivity of statistics: no neighbours move a message further, and the worst ones as far."""

from itertools import product
from math import sqrt

import numpy as np
import pytest
from fbftl.messages.statistics import Statistics
from fbftl.privacy.accounting import gaussian_epsilon, gaussian_sigma
from fbftl.privacy.statistics import sensitivity, statistics_guarantee
from hypothesis import given
from hypothesis import strategies as st

CLASSES, WIDTH = 3, 4


def message(x: np.ndarray, label: int, counts: bool = True) -> np.ndarray:
    """Return one sample's part of the message as it is sent: triangle, sums and counts."""
    values = np.asarray(x, dtype=np.float64)[None]
    numbers = Statistics.of(values, np.array([label]), CLASSES).numbers()
    return numbers if counts else numbers[CLASSES:]


def directions(seed: int, count: int = 40) -> np.ndarray:
    """Return vectors of length one: axes, and random ones, some of them near each other."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(count, WIDTH))
    vectors[1::2] = -vectors[::2] + 0.3 * vectors[1::2]
    vectors = np.vstack([np.eye(WIDTH), -np.eye(WIDTH), vectors])
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("clip_norm", "counts", "adjacency"),
    product([0.2, 0.7, 1.0, 3.0], [True, False], ["add-remove", "replace-one"]),
)
def test_random_neighbours_stay_within_the_bound(clip_norm, counts, adjacency):
    bound = sensitivity(clip_norm, adjacency, counts) * (1 + 1e-12)
    rng = np.random.default_rng(0)
    samples = clip_norm * directions(1)
    samples = np.vstack([samples, samples * rng.random((len(samples), 1))])
    messages = np.array([[message(x, c, counts) for c in (0, 1)] for x in samples])
    if adjacency == "add-remove":
        assert np.linalg.norm(messages, axis=2).max() <= bound
    else:
        flat = messages.reshape(-1, messages.shape[2])
        apart = np.linalg.norm(flat[:, None] - flat[None], axis=2)
        assert apart.max() <= bound


@given(st.floats(0.05, 20))
def test_the_worst_neighbours_attain_the_bound_for_the_packed_triangle(clip_norm):
    x, z = clip_norm * np.eye(WIDTH)[:2]
    norm = np.linalg.norm(message(x, 0))
    assert norm == pytest.approx(sensitivity(clip_norm))
    assert norm == pytest.approx(sqrt(1 + clip_norm**2 + clip_norm**4))
    apart = np.linalg.norm(message(x, 0) - message(z, 1))
    assert apart == pytest.approx(sensitivity(clip_norm, "replace-one"))
    alone = np.linalg.norm(message(x, 0, counts=False))
    assert alone == pytest.approx(sqrt(clip_norm**4 + clip_norm**2))


def test_the_worst_neighbours_of_one_class_without_counts():
    """Of the whole matrix; its triangle moves no further."""
    for clip_norm in (0.3, 1.0, 2.0):
        t = -0.5 if clip_norm**2 >= 0.5 else -(clip_norm**2)
        cosine = t / clip_norm**2
        x = clip_norm * np.array([1.0, 0.0])
        z = clip_norm * np.array([cosine, sqrt(max(1 - cosine**2, 0))])
        moved = ((x - z) ** 2).sum() + ((np.outer(x, x) - np.outer(z, z)) ** 2).sum()
        assert sqrt(moved) == pytest.approx(sensitivity(clip_norm, "replace-one", counts=False))


@pytest.mark.parametrize("central", [True, False])
def test_the_guarantee_is_that_of_one_gaussian_on_the_worst_neighbours(central):
    arguments = {"clip_norm": 5.0, "delta": 1e-6, "central": central}
    record = statistics_guarantee(epsilon=3.0, sigma=None, **arguments)
    assert record.epsilon == pytest.approx(3.0, rel=1e-6)
    unit = gaussian_sigma(3.0, 1e-6, "zero-out")
    assert record.noise_std == pytest.approx(unit * sqrt(6))
    given_noise = statistics_guarantee(epsilon=None, sigma=record.noise_std, **arguments)
    assert given_noise.epsilon == pytest.approx(3.0, rel=1e-6)
    assert ("dealer" in record.note) is central
    assert record.epsilon == pytest.approx(
        gaussian_epsilon(record.noise_std / sqrt(6), 1e-6, "zero-out")
    )
