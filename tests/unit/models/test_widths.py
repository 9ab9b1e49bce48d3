"""Networks of several widths in one vector: which numbers they share, and how they predict."""

import pytest
import torch
from fbftl.models.chain import Chain
from fbftl.models.modes import normalise_by_batch
from fbftl.models.networks import build
from fbftl.models.stack import NetworkStack, stackable
from fbftl.models.widths import flat, nested, side_by_side
from torch import nn

CLASSES = 3


def cnn(units: int) -> nn.Module:
    return build(Chain((4, 4, 1), CLASSES, [2 * units], [[units]], norm="batch"))


def mlp(units: int) -> nn.Module:
    return build(Chain((4, 4, 1), CLASSES, [2 * units, units], norm="batch"))


def networks(make, widths=(1, 2, 4)) -> dict[int, nn.Module]:
    torch.manual_seed(0)
    by_width = {width: make(width).eval() for width in widths}
    for network in by_width.values():
        normalise_by_batch(network)
    return by_width


def inputs() -> torch.Tensor:
    return torch.randn(6, 1, 4, 4, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("make", [cnn, mlp])
def test_a_slice_is_the_corner_of_every_weight(make):
    by_width = networks(make)
    shared = nested(by_width, [1, 2, 4])
    whole = dict(by_width[4].named_parameters())
    for width, slot in zip(by_width, shared.slots, strict=True):
        corners = [
            whole[name][tuple(map(slice, parameter.shape))].flatten()
            for name, parameter in by_width[width].named_parameters()
        ]
        assert torch.equal(shared.weights[slot.places], torch.cat(corners))


@pytest.mark.parametrize("make", [cnn, mlp])
def test_pieces_part_the_weights_and_slots_are_made_of_them(make):
    for shared in (nested(networks(make), [1, 4]), side_by_side([make(1), make(1)], [1, 2])):
        together = torch.cat(shared.pieces).sort().values
        assert torch.equal(together, torch.arange(len(shared.weights)))
        for slot, holds in zip(shared.slots, shared.holds, strict=True):
            mine = [piece for piece, is_held in zip(shared.pieces, holds, strict=True) if is_held]
            places = together[slot.places].sort().values
            assert torch.equal(torch.cat(mine).sort().values, places)


def test_a_mixture_is_the_mean_of_its_bases_logits():
    torch.manual_seed(3)
    bases = [mlp(1).eval() for _ in range(4)]
    for base in bases:
        normalise_by_batch(base)
    logits = torch.stack([base(inputs()) for base in bases])
    shared = side_by_side(bases, [1, 2, 4])
    for width in (1, 2, 4):
        torch.testing.assert_close(shared.at(width)(inputs()), logits[:width].mean(0))


def test_prefixes_give_every_slices_logits():
    by_width = networks(cnn)
    shared = nested(by_width, [1, 2, 4], slimmable=True)
    logits = shared.slots[2].trained(inputs()).unflatten(1, (3, CLASSES))
    for index, width in enumerate((1, 2, 4)):
        torch.testing.assert_close(logits[:, index], shared.at(width)(inputs()))


@pytest.mark.parametrize("slimmable", [False, True])
@pytest.mark.parametrize("kind", [mlp, cnn])
def test_a_stack_computes_what_its_networks_do(kind, slimmable):
    by_width = networks(kind)
    shared = nested(by_width, [1, 2, 4], slimmable)
    trained = shared.slots[2].trained
    weights = torch.stack([flat(trained), flat(trained) + 0.1])
    image = inputs().shape[1:]
    stack = NetworkStack(stackable(trained), weights, image)
    assert torch.equal(stack.flat(), weights)
    values = inputs().flatten(1)
    # The second network's batch has four rows, the others stand there without weight.
    share = torch.tensor([[1 / 6] * 6, [1 / 4] * 4 + [0] * 2])
    logits = stack(values.expand(2, -1, -1), share)
    torch.testing.assert_close(logits[0], trained(inputs()))
    with torch.no_grad():
        for parameter in trained.parameters():
            parameter += 0.1
    torch.testing.assert_close(logits[1, :4], trained(inputs()[:4]))
