"""Membership by noisy counts: what closed forms say that adversaries get."""

import numpy as np
import pytest
from fbftl.attacks.counts import KNOWLEDGE, recognise
from fbftl.methods.ecos.counting import counts_guarantee
from fbftl.privacy.accounting import normal_cdf

CLUSTER = np.repeat(np.arange(10), 20)


def attack(sigma: float, knows: str, rate: float = 0.8, draws: int = 20_000):
    return recognise(CLUSTER, rate, sigma, knows, draws, seed=0, delta=1e-5, confidence=0.95)


@pytest.mark.parametrize("sigma", [1.0, 10.0])
def test_who_knows_what_was_counted_has_the_closed_forms_area(sigma):
    area = 0.2 * 0.5 + 0.8 * normal_cdf(1 / (sigma * 2**0.5))
    assert attack(sigma, "sampled").auc == pytest.approx(area, abs=0.01)
    assert attack(1e-9, "sampled").auc == pytest.approx(0.9, abs=0.01)


def test_who_knows_less_gets_less_and_no_bound_exceeds_the_guarantee():
    recognised = [attack(2.0, knows) for knows in KNOWLEDGE.values()]
    assert recognised[0].auc > recognised[1].auc > recognised[2].auc - 0.01 > 0.48
    stated = counts_guarantee(2.0, 0.8, 1e-5)[0].epsilon
    assert all(0 <= attained.epsilon <= stated for attained in recognised)
