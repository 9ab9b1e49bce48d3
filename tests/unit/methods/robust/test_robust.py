"""Adversarial inputs: PGD in closed form and within its bounds, and two normalisations for one."""

from collections import OrderedDict
from dataclasses import replace

import pytest
import torch
from fbftl.data.preprocess import Preprocessing
from fbftl.methods.robust.pgd import bounds, by_pgd, pgd_perturbed
from fbftl.methods.robust.run import both_losses
from fbftl.models.dual_batch_norm import doubled, measured, mixed
from fbftl.models.modes import normalise_by_batch
from fbftl.models.stack import stackable
from fbftl.training.local import one_by_one, train_clients
from fbftl.training.local_updates import Hooks, LocalPlan, SplitModel
from fbftl.training.samples import Pictures
from torch import nn
from torch.nn import functional
from unit.training.training_toys import training, updates

PIXELS = Preprocessing(None, (0.3,), (0.25,))


def inputs(count: int = 12) -> torch.Tensor:
    pixels = torch.rand(count, 1, 3, 3, generator=torch.Generator().manual_seed(0))
    return (pixels - 0.3) / 0.25


def labels(count: int = 12) -> torch.Tensor:
    return torch.arange(count) % 2


def linear() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Flatten(), nn.Linear(9, 2))


def test_on_a_linear_model_it_is_the_sign_of_the_weights():
    """Of two classes the loss rises along the other class's weights less the own one's."""
    network = linear()
    weight = network[1].weight.detach()
    direction = (weight[1 - labels()] - weight[labels()]).sign().view(-1, 1, 3, 3)
    low, high = bounds(inputs(), PIXELS)
    expected = torch.where(direction > 0, high, low)
    torch.testing.assert_close(pgd_perturbed(network, inputs(), labels(), PIXELS), expected)


def normalising() -> nn.Sequential:
    torch.manual_seed(0)
    network = nn.Sequential()
    network.add_module("flatten", nn.Flatten())
    network.add_module("norm", nn.BatchNorm1d(9))
    network.add_module("output", nn.Linear(9, 2))
    normalise_by_batch(network)
    return network


def test_halves_of_a_batch_are_normalised_apart_and_shares_mix():
    plain = normalising()
    network = doubled(plain, separate=True)
    adversarial = inputs() * 2 + 1
    logits = network(torch.cat([inputs(), adversarial]))
    torch.testing.assert_close(logits, torch.cat([plain(inputs()), plain(adversarial)]))
    with torch.no_grad():
        network.norm.adversarial.bias += 1
    by_share = {}
    for share in (0.0, 0.25, 1.0):
        with mixed(network, share):
            by_share[share] = network(inputs())
    torch.testing.assert_close(by_share[0.0], plain(inputs()))
    torch.testing.assert_close(by_share[0.25], 0.75 * by_share[0.0] + 0.25 * by_share[1.0])
    assert network.norm.share is None


@pytest.mark.parametrize("separate", [True, False])
def test_statistics_are_those_of_either_kind_of_inputs(separate):
    """At λ 0 and 1 samples are normalised as among those that were measured, one by one too."""
    network = doubled(normalising(), separate)
    clean, adversarial = inputs(), inputs() * 2 + 1
    both = network(torch.cat([clean, adversarial])).chunk(2)
    statistics = measured(network, clean, adversarial)
    for share, samples, expected in zip((0.0, 1.0), (clean, adversarial), both, strict=True):
        with mixed(network, share, statistics):
            normalised = torch.cat([network(samples[row : row + 1]) for row in range(len(samples))])
        if separate:
            torch.testing.assert_close(normalised, expected)
    ((first, second),) = statistics
    if not separate:
        values = torch.stack([clean, adversarial]).flatten(2)
        torch.testing.assert_close(first[0], values.mean(1).mean(0))
        torch.testing.assert_close(first[1], values.var(1, correction=0).mean(0))
        assert first is second


@pytest.mark.parametrize("weight", [0.0, 0.2, 1.0])
def test_kinds_that_share_a_normalisation_count_by_their_loss(weight):
    """Of weight 0 it is tested as FedAvg on clean inputs, of weight 1 as on adversarial alone."""
    network = doubled(normalising(), separate=False)
    clean, adversarial = inputs(), inputs() * 2 + 1
    ((both, _),) = measured(network, clean, adversarial, weight)
    alone = [measured(network, kind, kind)[0][0] for kind in (clean, adversarial)]
    for moment, of_clean, of_adversarial in zip(both, *alone, strict=True):
        torch.testing.assert_close(moment, torch.lerp(of_clean, of_adversarial, weight))


def test_losses_of_both_kinds_count_half():
    logits = torch.randn(6, 2, generator=torch.Generator().manual_seed(0))
    labels_ = torch.tensor([0, 1, 0])
    parts = [functional.cross_entropy(part, labels_, reduction="none") for part in logits.chunk(2)]
    assert torch.equal(both_losses(0.5)(logits, labels_), sum(parts) / 2)
    for weight in (0, 0.2, 1):
        expected = (1 - weight) * parts[0] + weight * parts[1]
        torch.testing.assert_close(both_losses(weight)(logits, labels_), expected)


@pytest.mark.parametrize("separate", [True, False, None])
def test_stacked_clients_train_on_both_kinds_as_alone(separate):
    """Batches of 5, 4, 3 and 2, of which the short ones fill up; None normalises nothing."""
    count, generator = 30, torch.Generator().manual_seed(1)
    pixels = torch.randint(0, 256, (count, 3, 3, 1), generator=generator).to(torch.uint8).numpy()
    pictures = Pictures(pixels, torch.arange(count) % 3, PIXELS)
    torch.manual_seed(2)
    norm = nn.Identity() if separate is None else nn.BatchNorm1d(8)
    layers = {"flatten": nn.Flatten(), "fc1": nn.Linear(9, 8), "norm": norm}
    plain = nn.Sequential(OrderedDict(layers | {"relu": nn.ReLU(), "output": nn.Linear(8, 3)}))
    normalise_by_batch(plain)
    split_model = SplitModel(nn.Identity(), doubled(plain, bool(separate)).eval())
    of_clients = updates([0, 10, 19, 26, 30], round_number=1)
    plan = LocalPlan(epochs=3, batch=5, training=training())
    hooks = Hooks(perturb=by_pgd(pictures), loss=both_losses(0.3))
    together = train_clients(split_model, pictures, of_clients, plan, hooks)
    alone = one_by_one(split_model, pictures, of_clients, plan, hooks)
    torch.testing.assert_close(together.weights, alone.weights, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(together.losses, alone.losses)
    assert stackable(split_model.whole) is not None
    clean = train_clients(
        split_model, pictures, of_clients, plan, replace(hooks, loss=both_losses(0))
    )
    assert not torch.allclose(together.losses, clean.losses, rtol=1e-3)
