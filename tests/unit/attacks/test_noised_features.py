"""Membership in sent features: members lie where something was sent."""

import numpy as np
from fbftl.attacks import noised_features
from fbftl.attacks.membership import auc
from fbftl.attacks.noised_features import nearest


def test_distances_are_those_to_the_nearest(monkeypatch):
    monkeypatch.setattr(noised_features, "ROWS_AT_ONCE", 3)
    draws = np.random.default_rng(0)
    candidates, sent = draws.standard_normal((7, 4)), draws.standard_normal((5, 4))
    wanted = ((candidates[:, None] - sent[None]) ** 2).sum(2).min(1)
    np.testing.assert_allclose(nearest(candidates, sent), wanted, atol=1e-9)


def test_noise_hides_members():
    draws = np.random.default_rng(0)
    members, others = draws.standard_normal((2, 200, 8))

    def told_apart(noise: float) -> float:
        sent = members + noise * draws.standard_normal(members.shape)
        return auc(-nearest(members, sent), -nearest(others, sent))

    assert told_apart(0.0) == 1
    assert 0.5 < told_apart(0.5) < 1
    assert abs(told_apart(50.0) - 0.5) < 0.1
