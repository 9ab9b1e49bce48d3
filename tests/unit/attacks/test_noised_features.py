"""Membership in sent features: members lie where something was sent."""

import numpy as np
from fbftl.attacks import noised_features
from fbftl.attacks.noised_features import nearest


def test_distances_are_those_to_the_nearest(monkeypatch):
    monkeypatch.setattr(noised_features, "ROWS_AT_ONCE", 3)
    draws = np.random.default_rng(0)
    candidates, sent = draws.standard_normal((7, 4)), draws.standard_normal((5, 4))
    wanted = ((candidates[:, None] - sent[None]) ** 2).sum(2).min(1)
    np.testing.assert_allclose(nearest(candidates, sent), wanted, atol=1e-9)
