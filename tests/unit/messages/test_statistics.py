"""Statistics and class means: they add up, travel as triangles, and say what the samples say."""

import numpy as np
import pytest
from fbftl.messages.codec import Compression
from fbftl.messages.statistics import ClassMeans, Statistics, added, length, triangle
from fbftl.methods.one_shot.message import Shape, Summary, Table

CLASSES, WIDTH = 4, 6


def samples(count: int = 90, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return features, labels and clients."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(CLASSES - 1, size=count)  # the last class has no sample
    values = rng.normal(size=(count, WIDTH)) + labels[:, None]
    return values.astype(np.float32), labels, rng.integers(7, size=count)


def close(first: np.ndarray, second: np.ndarray, tolerance: float = 1e-5) -> bool:
    return np.allclose(first, second, rtol=tolerance, atol=tolerance)


def test_statistics_are_those_of_their_definition():
    values, labels, _ = samples()
    statistics = Statistics.of(values, labels, CLASSES)
    exact = values.astype(np.float64)
    hot = np.eye(CLASSES)[labels]
    assert (statistics.counts == hot.sum(axis=0)).all()
    assert close(statistics.sums, hot.T @ exact)
    assert close(statistics.scatter, exact.T @ exact)
    within = sum(
        (exact[labels == c] - exact[labels == c].mean(axis=0)).T
        @ (exact[labels == c] - exact[labels == c].mean(axis=0))
        for c in range(CLASSES - 1)
    )
    assert close(statistics.within, within, 1e-4)
    assert close(statistics.around_mean, len(exact) * np.cov(exact.T, bias=True), 1e-4)
    assert (statistics.means[-1] == 0).all()
    assert close(statistics.scatter_around(statistics.means), statistics.within, 1e-4)


def test_statistics_add_up_over_clients_and_pass_through_a_flat_message():
    values, labels, client = samples()
    parts = [Statistics.of(values[client == u], labels[client == u], CLASSES) for u in range(7)]
    total = added(parts, CLASSES, WIDTH)
    every = Statistics.of(values, labels, CLASSES)
    assert close(total.numbers(), every.numbers())
    assert close((parts[0] + parts[1]).numbers(), parts[0].numbers() + parts[1].numbers())
    assert len(total.numbers()) == length(CLASSES, WIDTH) == 21 + 24 + 4
    again = Statistics.of_numbers(total.numbers(), CLASSES, WIDTH)
    assert np.array_equal(again.scatter, total.scatter)
    assert np.array_equal(again.sums, total.sums)


def test_a_bias_needs_no_further_message():
    values, labels, _ = samples()
    every = Statistics.of(values, labels, CLASSES)
    ones = np.hstack([values, np.ones((len(values), 1), dtype=np.float32)])
    assert close(every.with_bias().scatter, Statistics.of(ones, labels, CLASSES).scatter)


def test_class_means_hold_counts_and_sums():
    values, labels, client = samples()
    means = ClassMeans.of(values, labels, client, CLASSES)
    every = Statistics.of(values, labels, CLASSES)
    assert close(means.sums_of, every.sums)
    assert (means.counts_of == every.counts).all()
    pair = (client == means.client[3]) & (labels == means.label[3])
    assert close(means.means[3], values[pair].mean(axis=0))
    assert means.counts[3] == pair.sum()


def test_fedcof_is_unbiased_for_a_class_covariance():
    rng, covariance = np.random.default_rng(3), np.diag([1.0, 4.0])
    client = np.repeat(np.arange(10), [1, 2, 3, 4, 5] * 2)
    estimates = [
        ClassMeans.of(
            rng.multivariate_normal([0, 0], covariance, len(client)), 0 * client, client, 1
        ).within
        / (len(client) - 1)
        for _ in range(1500)
    ]
    assert np.allclose(np.mean(estimates, axis=0), covariance, atol=0.15)


@pytest.mark.parametrize("bits", [32, 8, 3])
def test_a_message_is_as_long_as_told_and_says_what_is_read(bits):
    values, labels, _ = samples(20)
    compression, statistics = Compression(bits), Statistics.of(values, labels, CLASSES)
    means = ClassMeans.of(values, labels, np.zeros(20, dtype=int), CLASSES)
    upper = triangle(statistics.scatter)[None]
    summaries = [
        Summary(statistics.counts, (Table(statistics.sums), Table(upper)), CLASSES),
        Summary(means.counts, (Table(means.means, means.label),), CLASSES),
    ]
    shapes = [((CLASSES, WIDTH, False), (1, 21, False)), ((3, WIDTH, True),)]
    for summary, shape in zip(summaries, shapes, strict=True):
        message, read = summary.sent(compression)
        assert 8 * len(message) == Shape(len(summary.counts), shape, CLASSES).bits(compression)
        arrived = Summary.of_message(message, CLASSES)
        assert np.array_equal(arrived.counts, read.counts)
        for table, wanted, other in zip(read.tables, summary.tables, arrived.tables, strict=True):
            assert np.array_equal(table.rows, other.rows)
            step = np.ptp(wanted.rows, axis=1, keepdims=True) / (2 ** min(bits, 16) - 1)
            assert (np.abs(table.rows - wanted.rows) <= step / 2 + 1e-3).all()


def test_means_of_two_sets_of_samples_have_one_mean_of_a_common_pair():
    """Client 1 has 1 and 4 twice of class 0: 3 times 3 on average."""
    first = ClassMeans(
        np.array([1, 2]), np.array([0, 1]), np.array([1, 5]), np.array([[1.0], [7.0]]), 2
    )
    second = ClassMeans(
        np.array([3, 1]), np.array([1, 0]), np.array([4, 2]), np.array([[8.0], [4.0]]), 2
    )
    whole_set = first + second
    assert whole_set.client.tolist() == [1, 2, 3]
    assert whole_set.label.tolist() == [0, 1, 1]
    assert whole_set.counts.tolist() == [3, 5, 4]
    assert whole_set.means.tolist() == [[3.0], [7.0], [8.0]]
