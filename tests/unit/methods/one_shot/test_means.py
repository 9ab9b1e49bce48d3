"""Clients that hold out rows before they take class means: which rows, and what the means say."""

import numpy as np
import pytest
from fbftl.messages.codec import Compression
from fbftl.messages.codec.compression import PLAIN
from fbftl.messages.statistics import ClassMeans
from fbftl.methods.one_shot.messages.means import MeansMessage, SplitMeansMessage

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
@pytest.mark.parametrize("per_class", [1, 2])
def test_kept_and_held_out_means_travel_together_and_give_those_of_all(
    compression, labels, per_class
):
    labels = np.array(labels)
    values = np.random.default_rng(0).normal(size=(len(labels), WIDTH))
    split_means = SplitMeansMessage(CLASSES, WIDTH, 0.5, 0, per_class)
    summary = split_means.summary(4, values, labels)
    length_in_bits = 8 * len(summary.sent(compression)[0])
    assert split_means.shape(4, values, labels).bits(compression) == length_in_bits
    split = split_means.combined([(4, summary.sent(compression)[1])])
    held_out = split_means.holds_out(4, labels)
    assert split.kept.counts.sum() == (~held_out).sum()
    assert split.held_out.counts.sum() == held_out.sum()
    both = split.kept + split.held_out
    every = ClassMeans.of(values, labels, np.full(len(labels), 4), CLASSES)
    assert np.array_equal(both.counts_of, every.counts_of)
    assert np.allclose(both.sums_of, every.sums_of, atol=1e-6 if compression.bits == 32 else 0.06)
    assert (np.diff(np.sort(both.client * CLASSES + both.label)) > 0).all()


def test_a_client_sends_as_many_means_of_a_class_as_it_has_samples_at_most():
    """Five samples of class 0 make means of two, two and one; one of class 2 its own."""
    labels, values = np.array([0, 0, 2, 0, 0, 0]), np.arange(6.0)[:, None] * np.ones(WIDTH)
    message = MeansMessage(CLASSES, WIDTH, per_class=3, seed=0)
    summary = message.summary(7, values, labels)
    means = message.combined([(7, summary)])
    assert sorted(means.counts[means.label == 0].tolist()) == [1, 2, 2]
    assert means.means[means.label == 2].tolist() == [[2.0] * WIDTH]
    assert np.allclose(means.sums_of[0], 13)
    assert message.shape(7, values, labels).bits(Compression()) == 8 * len(summary.sent(PLAIN)[0])
    assert means.clients_of.tolist() == [3, 0, 1, 0]
