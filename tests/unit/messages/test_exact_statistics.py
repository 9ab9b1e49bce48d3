"""Statistics in whole numbers: any grouping, late samples and deletions give the same bytes."""

import numpy as np
import pytest
from fbftl.ground.errors import UserError
from fbftl.messages.exact_statistics import ROWS_AT_ONCE, ExactStatistics
from fbftl.messages.statistics import Statistics

CLASSES = 3


def samples(rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return features of 5 numbers and labels."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((rows, 5), dtype=np.float32), rng.integers(CLASSES, size=rows)


def summed(values: np.ndarray, labels: np.ndarray) -> ExactStatistics:
    return ExactStatistics.of(values, labels, CLASSES)


def test_they_are_the_statistics_of_the_rounded_samples():
    values, labels = samples(ROWS_AT_ONCE + 7)
    steps = np.rint(values.astype(np.float64) * 1024).astype(np.int64).astype(object)
    exact = summed(values, labels)
    assert (exact.scatter.astype(object) == steps.T @ steps).all()
    in_floats = Statistics.of((steps / 1024).astype(np.float32), labels, CLASSES)
    for name in ("counts", "sums", "scatter"):
        np.testing.assert_allclose(
            getattr(exact.statistics(), name), getattr(in_floats, name), rtol=1e-4, atol=1e-2
        )


def test_any_grouping_gives_the_same_bytes():
    values, labels = samples(500)
    order = np.random.default_rng(1).permutation(500)
    total = ExactStatistics.nothing(CLASSES, 5)
    for part in np.array_split(order, [3, 4, 200]):
        total += summed(values[part], labels[part])
    assert total.sha256() == summed(values, labels).sha256()


def test_a_deleted_sample_leaves_no_trace():
    values, labels = samples(300)
    rest = summed(values, labels) - summed(values[:8], labels[:8])
    assert rest.sha256() == summed(values[8:], labels[8:]).sha256()


def test_what_was_never_summed_is_not_deleted():
    few, many = summed(*samples(5)), summed(*samples(50, seed=1))
    with pytest.raises(UserError, match="not among those that were summed"):
        few - many


def test_what_floats_or_words_do_not_hold_is_refused():
    with pytest.raises(UserError, match="does not hold exactly"):
        summed(np.full((ROWS_AT_ONCE, 5), 2e3, np.float32), np.zeros(ROWS_AT_ONCE, np.int64))
    with pytest.raises(UserError, match="does not hold exactly"):
        summed(np.full((1, 5), np.nan, np.float32), np.zeros(1, np.int64))
    # Every product of a chunk is exact, and the sum of all chunks is not.
    many = np.full((1030 * ROWS_AT_ONCE, 1), 1447.0, np.float32)
    with pytest.raises(UserError, match="leaves the whole numbers of 64 bits"):
        ExactStatistics.of(many, np.zeros(len(many), np.int64), 1)
    large = ExactStatistics.nothing(CLASSES, 5)
    large.scatter[0, 0] = 2**62
    with pytest.raises(UserError, match="leaves the whole numbers of 64 bits"):
        large + large


def test_other_steps_do_not_add_up():
    with pytest.raises(UserError, match="do not add up"):
        ExactStatistics.nothing(CLASSES, 5) + ExactStatistics.nothing(CLASSES, 5, 12)
