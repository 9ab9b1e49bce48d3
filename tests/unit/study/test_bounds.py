"""How large masked sums can be, and what the smallest ring saves of a word for each number."""

import numpy as np
import pytest
from fbftl.messages.statistics import Statistics
from fbftl.privacy.statistics import clipped
from fbftl.study.bounds import (
    LARGEST_NORMAL,
    counts_bound,
    statistics_bound,
    summing_ring,
    updates_bound,
)


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
