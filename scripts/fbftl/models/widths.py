"""Networks of several widths whose parameters lie in one vector of weights.

Split-Mix (paper thesis, Sec. 4.4) has M_b narrow networks side by side, the bases, and predicts at
a width of k bases by the mean of the first k bases' logits. HeteroFL (Diao et al. 2021) has one
network, of which narrower ones are the leading slices of every layer. Either way a slot is a
network with the places of its parameters in the vector, and the vector falls into pieces that a
client trains whole or not at all.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import torch
from torch import Tensor, nn
from torch.func import functional_call


@dataclass(frozen=True, eq=False)
class Slot:
    """A network inside the vector of weights.

    network: what predicts; the values of its own parameters mean nothing.
    trained: what clients train in its place, with the same parameters.
    places: where they lie, in the network's order: (x,) positions, or a slice if side by side.
    """

    network: nn.Module
    trained: nn.Module
    places: Tensor | slice

    @cached_property
    def parameters(self) -> tuple[nn.Parameter, ...]:
        """Parameters of what predicts, listed once: to walk a network takes as long as a pass."""
        return tuple(self.network.parameters())

    def take(self, weights: Tensor) -> None:
        """Give what predicts its own copy of the values (X,) at its places."""
        sizes = [parameter.numel() for parameter in self.parameters]
        parts = weights[self.places].clone().split(sizes)
        for parameter, part in zip(self.parameters, parts, strict=True):
            parameter.data = part.view_as(parameter)


class SharedWeights(nn.Module):
    """Networks of several widths in one vector of weights.

    Args:
        weights: (X,) their first values.
        slots: the networks.
        pieces: places of each piece; every place lies in one.
        holds: (S, P) booleans, of which pieces each slot is made.
        mixtures: by width in bases, the slots whose mean of logits predicts; the widest is last.
    """

    def __init__(
        self, weights: Tensor, slots: Sequence[Slot], pieces: Sequence[Tensor], holds: Tensor,
        mixtures: Mapping[int, Sequence[int]],
    ) -> None:  # fmt: skip
        super().__init__()
        self.weights = nn.Parameter(weights)
        # Tuples, so that torch takes no template's parameters for its own.
        self.slots, self.pieces = tuple(slots), tuple(pieces)
        self.holds, self.mixtures = holds, mixtures

    def at(self, width: int) -> Callable[[Tensor], Tensor]:
        """Return what predicts at a width: from inputs (n, ...) to logits (n, N), no gradient."""
        used = self.mixtures[width]
        return lambda inputs: torch.stack([self._logits(slot, inputs) for slot in used]).mean(0)

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the logits at the widest, (n, N)."""
        return self.at(list(self.mixtures)[-1])(inputs)

    def _logits(self, slot: int, inputs: Tensor) -> Tensor:
        chosen = self.slots[slot]
        chosen.take(self.weights.detach())
        return chosen.network(inputs)


def side_by_side(bases: Sequence[nn.Module], widths: Sequence[int]) -> SharedWeights:
    """Return bases of one shape, each a slot and a piece of its own.

    Args:
        bases: M_b networks with their first values.
        widths: at which they predict, ascending.
    """
    weights = torch.stack([flat(base) for base in bases])
    device, numbers = weights.device, weights.shape[1]
    starts = [base * numbers for base in range(len(bases))]
    return SharedWeights(
        weights.flatten(),
        [Slot(bases[0], bases[0], slice(start, start + numbers)) for start in starts],
        [torch.arange(start, start + numbers, device=device) for start in starts],
        torch.eye(len(bases), dtype=torch.bool),
        {width: range(width) for width in widths},
    )


def nested(
    networks: Mapping[int, nn.Module], served: Sequence[int], slimmable: bool = False
) -> SharedWeights:
    """Return a network's leading slices; the first values are the widest one's.

    A piece is what a slice has beyond the next narrower.

    Args:
        networks: by width, ascending.
        served: widths at which it predicts, ascending; a slice is trained at all of them that it
            has where it is slimmable.
        slimmable: whether clients train the narrower slices inside their own too.
    """
    widest = list(networks.values())[-1]
    weights = flat(widest)
    shapes = {width: [v.shape for v in network.parameters()] for width, network in networks.items()}
    whole = shapes[max(shapes)]
    places = {w: _leading(whole, part).to(weights.device) for w, part in shapes.items()}
    level = torch.zeros(len(weights), dtype=torch.long, device=weights.device)
    # From the widest slice down, so that each position ends at the narrowest slice that has it.
    for index, positions in reversed(list(enumerate(places.values()))):
        level[positions] = index
    trained = {
        width: Prefixes(network, [networks[w] for w in served if w < width])
        if slimmable
        else network
        for width, network in networks.items()
    }
    count = len(networks)
    return SharedWeights(
        weights,
        [Slot(network, trained[width], places[width]) for width, network in networks.items()],
        [torch.nonzero(level == index).flatten() for index in range(count)],
        torch.ones(count, count, dtype=torch.bool).tril(),
        {width: [list(networks).index(width)] for width in served},
    )


class Prefixes(nn.Module):
    """A network that gives its narrower slices' logits before its own, (n, P N).

    Args:
        whole: the network; its parameters are those that are trained.
        narrower: networks whose shapes say which slices.
    """

    def __init__(self, whole: nn.Module, narrower: Sequence[nn.Module]) -> None:
        super().__init__()
        self.whole, self.narrower = whole, tuple(narrower)

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the logits, the narrowest slice's first."""
        values = dict(self.whole.named_parameters())
        logits = []
        for network in self.narrower:
            slices = {
                name: values[name][_corner(v.shape)] for name, v in network.named_parameters()
            }
            logits.append(functional_call(network, slices, inputs))
        return torch.cat([*logits, self.whole(inputs)], dim=1)


def flat(network: nn.Module) -> Tensor:
    """Return a copy of a network's parameters, (X,)."""
    return torch.cat([parameter.detach().flatten() for parameter in network.parameters()])


def _corner(shape: Sequence[int]) -> tuple[slice, ...]:
    return tuple(slice(0, side) for side in shape)


def _leading(whole: Sequence[torch.Size], part: Sequence[torch.Size]) -> Tensor:
    """Return where the leading slices of a network's parameters lie among all of them."""
    first, places = 0, []
    for shape, part_shape in zip(whole, part, strict=True):
        here = torch.arange(first, first + prod(shape)).view(shape)
        places.append(here[_corner(part_shape)].flatten())
        first += prod(shape)
    return torch.cat(places)
