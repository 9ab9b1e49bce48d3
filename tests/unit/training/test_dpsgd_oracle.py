"""Opacus as an oracle for DP-SGD: its per-sample gradients, and its accountant's bound."""

import pytest
import torch
from fbftl.models.chain import Chain
from fbftl.models.networks import build
from fbftl.privacy.accounting import rounds_epsilon
from fbftl.training.client_updates import client_updates
from torch.nn import functional

opacus = pytest.importorskip("opacus", reason="Opacus is an oracle for tests, not a requirement")


def test_per_sample_gradients_are_those_of_opacus():
    torch.manual_seed(0)
    model = build(Chain((8, 8, 1), 3, [12], [[4, 6]], padding="valid")).eval()
    x, y = torch.randn(5, 1, 8, 8), torch.tensor([0, 1, 2, 1, 0])
    _, found = client_updates(model)(x[:, None], y[:, None], torch.ones(5, 1, dtype=torch.bool))
    watched = opacus.GradSampleModule(model, loss_reduction="sum")
    functional.cross_entropy(watched(x), y, reduction="sum").backward()
    expected = torch.cat([p.grad_sample.flatten(1) for p in watched.parameters()], dim=1)
    assert torch.allclose(found, expected, atol=1e-5)


def test_epsilon_is_no_more_than_the_bound_of_opacus():
    from opacus.accountants import RDPAccountant

    accountant = RDPAccountant()
    for _ in range(60):
        accountant.step(noise_multiplier=1.1, sample_rate=0.09)
    ours = rounds_epsilon(1.1, 1e-5, rate=0.09, rounds=60)
    assert 0.7 * accountant.get_epsilon(1e-5) < ours < accountant.get_epsilon(1e-5)
