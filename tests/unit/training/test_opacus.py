"""DP-SGD by clients of one sample is Opacus's: its per-sample gradients and its accountants.

Opacus is no requirement of the project: `pip install opacus==1.6.0` has these tests run.
"""

import pytest
import torch
from fbftl.privacy.accounting import rounds_epsilon
from fbftl.training.client_updates import client_updates
from torch import nn

pytest.importorskip("opacus", reason="Opacus is not installed; it is an oracle of these tests only")


def network() -> nn.Sequential:
    """Return a small network of the layers that the survey's CNN has."""
    torch.manual_seed(0)
    return nn.Sequential(
        *(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 6, 3), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(24, 8), nn.ReLU(), nn.Linear(8, 5)),
    )


def test_the_gradients_of_single_samples_are_those_of_opacus():
    from opacus import GradSampleModule

    x, y = torch.randn(7, 1, 8, 8), torch.randint(5, (7,))
    losses, ours = client_updates(network())(x[:, None], y[:, None], torch.ones(7, 1))
    wrapped = GradSampleModule(network(), loss_reduction="sum")
    theirs = nn.functional.cross_entropy(wrapped(x), y, reduction="sum")
    theirs.backward()
    assert losses.sum().item() == pytest.approx(theirs.item(), rel=1e-5)
    flat = torch.cat(
        [parameter.grad_sample.flatten(1) for parameter in wrapped.parameters()], dim=1
    )
    assert torch.allclose(ours, flat, atol=1e-5)


@pytest.mark.parametrize(("sigma", "rate", "rounds"), [(1.0, 0.05, 60), (2.0, 0.1, 200)])
def test_epsilon_of_sampled_rounds_is_that_of_opacus(sigma, rate, rounds):
    from opacus.accountants import PRVAccountant, RDPAccountant

    delta = 1e-5
    prv, rdp = PRVAccountant(), RDPAccountant()
    for accountant in (prv, rdp):
        accountant.history = [(sigma, rate, rounds)]
    ours = rounds_epsilon(sigma, delta, rate=rate, rounds=rounds)
    assert ours == pytest.approx(prv.get_epsilon(delta), abs=0.02)
    assert ours <= rdp.get_epsilon(delta)
