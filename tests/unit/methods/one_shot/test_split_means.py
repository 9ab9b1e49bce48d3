"""Clients that hold out rows before they take class means: which rows, and what the means say."""

import numpy as np
import pytest
from fbftl.messages.codec import Compression
from fbftl.messages.statistics import ClassMeans
from fbftl.methods.one_shot.summary_messages import SplitMeansMessage

CLASSES, WIDTH = 4, 6


def test_a_client_keeps_one_sample_of_every_class():
    labels = np.array([0, 0, 0, 1, 2, 2])
    half = SplitMeansMessage(CLASSES, WIDTH, 0.5, seed=0).holds_out(7, labels)
    # Half would be three, and three are to spare: two of class 0, one of class 2.
    assert np.bincount(labels[half], minlength=3).tolist() == [2, 0, 1]
    tenth = SplitMeansMessage(CLASSES, WIDTH, 0.1, seed=0)
    assert tenth.holds_out(7, labels).sum() == 1
    assert not tenth.holds_out(7, np.array([0, 1, 2])).any()
    assert any((tenth.holds_out(u, labels) != tenth.holds_out(7, labels)).any() for u in range(6))


@pytest.mark.parametrize("compression", [Compression(), Compression(8)])
@pytest.mark.parametrize("labels", [[0, 0, 0, 1, 2, 2], [2, 0]])
def test_kept_and_held_out_means_travel_together_and_give_those_of_all(compression, labels):
    labels = np.array(labels)
    values = np.random.default_rng(0).normal(size=(len(labels), WIDTH))
    split_means = SplitMeansMessage(CLASSES, WIDTH, 0.5, seed=0)
    summary = split_means.summary(4, values, labels)
    length_in_bits = 8 * len(summary.message(compression))
    assert split_means.shape(4, values, labels).bits(compression) == length_in_bits
    split = split_means.combined([(4, summary.read(compression))])
    held_out = split_means.holds_out(4, labels)
    assert split.kept.counts.sum() == (~held_out).sum()
    assert split.held_out.counts.sum() == held_out.sum()
    both = split.kept + split.held_out
    every = ClassMeans.of(values, labels, np.full(len(labels), 4), CLASSES)
    assert np.array_equal(both.counts, every.counts)
    assert np.array_equal(both.label, every.label)
    assert np.allclose(both.means, every.means, atol=1e-6 if compression.bits == 32 else 0.02)
