"""What a model does to groups of people, by hand."""

import numpy as np
import pytest
from fbftl.methods.fade.run import by_group, linear_probe

GROUP = np.repeat([0, 1], 4)
PREDICTED = np.array([0, 1, 1, 1, 0, 0, 1, 0])


def test_equalised_odds_add_up_the_differences_of_both_rates():
    rates = by_group(PREDICTED, np.array([0, 0, 1, 1, 0, 0, 1, 1]), GROUP, 2)
    assert (rates["fpr_0"], rates["fpr_1"]) == (0.5, 0.0)
    assert (rates["fnr_0"], rates["fnr_1"]) == (0.0, 0.5)
    assert rates["delta_eo"] == pytest.approx(1.0)


def test_groups_of_one_class_each_have_no_equalised_odds():
    """Nothing to compare is not fair: one group has no false positives, the other no misses."""
    rates = by_group(PREDICTED, 1 - GROUP, GROUP, 2)
    assert "delta_eo" not in rates
    assert (rates["fnr_0"], rates["fpr_1"]) == (0.25, 0.25)


def test_a_probe_that_has_seen_one_group_takes_all_for_that_group():
    """Of eight rows one is of the other group, which half of the seeds score on."""
    z, group = np.random.default_rng(0).normal(size=(8, 2)), np.array([0] * 7 + [1])
    scores = {linear_probe(z, group, seed) for seed in range(6)}
    assert 0.75 in scores
    assert all(0 <= score <= 1 for score in scores)
