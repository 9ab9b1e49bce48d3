"""How large masked sums can be, and what the smallest ring saves of a word for each number."""

import numpy as np
import pytest
from fbftl.ground.ring import WORD_BITS
from fbftl.messages.statistics import Statistics, length
from fbftl.privacy.accounting import gaussian_sigma
from fbftl.privacy.statistics import clipped, sensitivity
from fbftl.study.rings import (
    LARGEST_NORMAL,
    counts_bound,
    statistics_bound,
    summing_ring,
    updates_bound,
)

DIGITS = (1438, 256, 180)
"""Training rows, dimensions and clients of the study of rivals on the digits."""

IMAGENET = (40_000, 1280, 5000)
"""The same of CIFAR-10's features of ImageNet."""


def saved(task: tuple[int, int, int], fraction_bits: int, epsilon: float | None) -> float:
    """Return the share of a client's bits that the ring saves of masked statistics."""
    rows, width, clients = task
    std = None
    if epsilon is not None:
        std = sensitivity(1.0, "replace-one") * gaussian_sigma(epsilon, 1e-6, "zero-out")
    ring = summing_ring(statistics_bound(rows), clients, fraction_bits, std)
    numbers = length(10, width)
    return 1 - ring.bits * numbers / (WORD_BITS * numbers)


@pytest.mark.parametrize("epsilon", [None, 1.0, 4.0, 16.0])
@pytest.mark.parametrize(
    ("task", "fraction_bits", "least", "bits"),
    [
        (DIGITS, 24, 0.4, 36),
        (DIGITS, 20, 0.5, 32),
        (IMAGENET, 24, 0.35, 41),
        (IMAGENET, 20, 0.42, 37),
    ],
)
def test_the_ring_saves_its_share_of_masked_statistics(task, fraction_bits, least, bits, epsilon):
    assert saved(task, fraction_bits, epsilon) >= least
    # n rows take the bits of n, f more behind the point, and the sign.
    assert bits == (task[0] + 1).bit_length() + fraction_bits + 1
    assert saved(task, fraction_bits, epsilon) == 1 - bits / WORD_BITS


@pytest.mark.parametrize("clip", [0.01, 0.7, 1.0, 24.4])
def test_statistics_of_clipped_rows_are_within_their_bound(clip):
    """The worst that rows can do: all of one class, along one axis, and beyond the clip norm."""
    rows = np.zeros((20_000, 3), dtype=np.float32)
    rows[:, 1] = np.float32(3.3) * clip
    scaled = clipped(rows, clip)
    for values, norm in ((scaled, 1.0), (scaled * np.float32(clip), clip)):
        numbers = Statistics.of(values, np.zeros(len(values), dtype=np.int64), 2).numbers()
        bound = statistics_bound(len(values), norm)
        assert 0.99 * bound < np.abs(numbers).max() <= bound
        means = numbers[: 2 * (3 + 1)]
        assert np.abs(means).max() <= statistics_bound(len(values), norm, second_moments=False)


def test_no_normal_number_is_beyond_the_bound_on_noise():
    draws = np.random.default_rng(0).standard_normal(4_000_000)
    assert 5 < np.abs(draws).max() < LARGEST_NORMAL
    # The tail of NumPy's ziggurat: the largest x that -2 ln(v) > x² keeps beyond r.
    tail = 3.6541528853610088 + np.sqrt(2 * 53 * np.log(2))
    assert tail < LARGEST_NORMAL


def test_counts_and_updates_have_the_bounds_of_their_rows():
    assert counts_bound(500) == 500
    assert summing_ring(counts_bound(500), 50, 24, 10.0).bits == 1 + 24 + 10  # 500 + 130 < 2^10
    assert summing_ring(counts_bound(500), 50, 24, None).bits == 1 + 24 + 9
    assert updates_bound(400, 0.1, 0.0) == pytest.approx(40, rel=1e-3)
    assert updates_bound(400, 0.1, 2.0) == pytest.approx(40 + 400 * 26, rel=1e-3)
