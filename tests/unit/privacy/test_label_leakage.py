from math import log2

import numpy as np
import pytest
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream
from fbftl.privacy.label_leakage import partition_leakage
from fbftl.privacy.label_privacy import batch_entropy, uniform


def test_an_iid_partition_leaks_what_chance_does():
    counts = stream(0, "test").multinomial(8, uniform(10), size=500)
    measured = partition_leakage(counts)
    expected = measured.entropy_queried_iid
    assert measured.entropy_queried == pytest.approx(expected.mean, abs=5 * expected.spread)
    assert measured.client_entropy == pytest.approx(measured.client_entropy_iid, abs=0.05)
    assert measured.statistical == pytest.approx(0.0, abs=0.05)


def test_one_label_per_client_leaves_its_label_only():
    counts = 8 * np.eye(4, dtype=int)
    measured = partition_leakage(counts)
    assert measured.entropy_queried == pytest.approx(2.0)
    assert measured.client_entropy == 0.0
    assert measured.entropy_true == pytest.approx(batch_entropy(uniform(4), 8))
    assert measured.total == pytest.approx(measured.statistical + measured.query)


def test_expected_client_entropy_by_hand():
    """Two samples of two labels: equal with probability 1/2, else one bit."""
    measured = partition_leakage(np.array([[2, 0], [0, 2], [1, 1], [1, 1]]))
    assert measured.client_entropy_iid == pytest.approx(0.5)
    assert measured.client_entropy == pytest.approx(0.5)
    assert measured.entropy_true == pytest.approx(-2 * 0.25 * log2(0.25) - 0.5 * log2(0.5))


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ([[1, 2], [0, 0]], "client 1 has no samples"),
        ([1, 2], "matrix"),
        ([[0.5, 1.5]], "whole numbers"),
        ([[-1, 2]], "whole numbers"),
        (np.zeros((0, 3), dtype=int), "matrix"),
    ],
)
def test_counts_that_are_none_are_refused(counts, sentence):
    with pytest.raises(UserError, match=sentence):
        partition_leakage(counts)
