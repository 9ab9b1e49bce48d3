"""The aggregator's view: a mask for each weight hides them, one for all shows all but the mean."""

import numpy as np
import pytest
from fbftl.attacks.eppfl import byte_uniformity, correlation
from fbftl.privacy.masking import Dealer, masked

COUNT = 1792
WEIGHTS = np.random.default_rng(0).normal(0, 0.1, COUNT)
KEY = Dealer.of_study(0).key(5)


def test_one_number_for_all_weights_hides_nothing_but_the_mean():
    message = masked(WEIGHTS, KEY, 3, 1)
    assert correlation(message, WEIGHTS) == pytest.approx(1)
    assert byte_uniformity(message) < 1e-6


@pytest.mark.parametrize("sum_number", [1, 2, 3])
def test_a_number_for_each_weight_hides_them(sum_number):
    message = masked(WEIGHTS, KEY, sum_number)
    assert abs(correlation(message, WEIGHTS)) < 3 / np.sqrt(COUNT)
    assert byte_uniformity(message) > 1e-3
