"""A client's local update in a round: its plan, its mini-batches, and the weights it ends with.

Every client of a round starts from the same weights and a fresh optimiser and runs E epochs over
mini-batches of its own samples. A network has two halves that meet at a boundary. `Hooks` change
the loss, the gradients, what passes the boundary forwards and backwards, and what is collected
there.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream
from fbftl.models.modes import couples_samples
from fbftl.study.job import Training


@dataclass(frozen=True)
class LocalPlan:
    """How a client trains in a round.

    epochs: E, passes over its samples.
    batch: samples per step; None takes all of a client's.
    training: learning rate, momentum, weight decay, dropout.
    optimiser: its name in `training.optimisers`.
    """

    epochs: int
    batch: int | None
    training: Training
    optimiser: str = "sgd"


@dataclass(frozen=True)
class LocalUpdate:
    """A client's training in one round.

    seed: of its repetition; with round and client it decides mini-batches and dropout.
    round_number: the round, from 1.
    client: its number.
    rows: (K_u,) rows of its samples, at least one.
    slot: which network it trains, where there are several.
    """

    seed: int
    round_number: int
    client: int
    rows: np.ndarray
    slot: int = 0


@dataclass(frozen=True)
class MiniBatch:
    """One mini-batch of a local update.

    epoch: from 1.
    last: whether the epoch is the update's last.
    rows: (B,) rows of its samples.
    """

    local_update: LocalUpdate
    epoch: int
    last: bool
    rows: np.ndarray


def cross_entropies(logits: Tensor, labels: Tensor) -> Tensor:
    """Return every sample's cross-entropy, (n,)."""
    return functional.cross_entropy(logits, labels, reduction="none")


Correcting = Callable[[LocalUpdate, Tensor, Tensor, Tensor], Tensor]
"""From a local update, a gradient, weights and the weights at its start (X,) to a gradient (X,)."""


Perturbing = Callable[[Callable[[Tensor], Tensor], Tensor, Tensor, Tensor], Tensor]
"""From what networks make of inputs (..., B, X), by their normalisations of adversarial ones, from
inputs, their labels (..., B) and which of them count (..., B) to perturbed inputs as many."""


@dataclass(frozen=True)
class Hooks:
    """What may be different in local training; the defaults are FedAvg.

    loss: from logits (n, N) and labels (n,) to each sample's loss (n,). A term in the weights is
        no part of it: it goes into `gradients`.
    gradients: from a local update, the gradient (X,) of a mini-batch's mean loss, the weights (X,)
        and those that it started from (X,) to what its optimiser steps with (X,); called once a
        step, however the networks are trained.
    logits: from logits (n, N) and the rows (n,) of their samples to what the loss is given.
    perturb: what gives every mini-batch a second half, of adversarial inputs, whose logits follow
        those of the first: a loss is given (2n, N) and labels (n,).
    boundary: from what the first half gives (B, ...) to what the second is given; differentiated
        through, so that a function with a backward pass of its own changes both ways.
    rate: factor of the learning rate in a round, counted from 1.
    start: the weights (X,) that a local update starts from, None for the network's.
    """

    loss: Callable[[Tensor, Tensor], Tensor] = cross_entropies
    gradients: Correcting | None = None
    logits: Callable[[Tensor, np.ndarray], Tensor] = lambda logits, _: logits
    perturb: Perturbing | None = None
    boundary: Callable[[Tensor, MiniBatch], Tensor] | None = None
    rate: Callable[[int], float] = lambda round_number: 1.0
    start: Callable[[LocalUpdate], Tensor | None] = lambda local_update: None


FEDAVG = Hooks()


@dataclass(frozen=True)
class SplitModel:
    """A network on the training device, in eval mode, up to its boundary and after it."""

    front: nn.Module
    rest: nn.Module

    @property
    def whole(self) -> nn.Sequential:
        """Both halves as one network; its parameters are theirs."""
        return nn.Sequential(self.front, self.rest)

    @property
    def parameters(self) -> list[Tensor]:
        """Parameters of both halves, the first half's first."""
        return list(self.whole.parameters())

    @property
    def named_parameters(self) -> dict[str, Tensor]:
        """Parameters of both halves by the names of their layers."""
        return dict([*self.front.named_parameters(), *self.rest.named_parameters()])


@dataclass(frozen=True)
class Trained:
    """What clients have after their local epochs.

    weights: (C, X) parameters of each, flat, in the order of the network's.
    losses: (C,) mean over each one's steps of the mini-batch's mean loss.
    pieces: which of the weights are theirs; None if all of them are.
    """

    weights: Tensor
    losses: Tensor
    pieces: "ClientPieces | None" = None

    def of(self, chosen: Tensor) -> "Trained":
        """Return what some of the clients have, given which, (C,) booleans."""
        pieces = self.pieces and ClientPieces(
            self.pieces.pieces, self.pieces.by_client[chosen.cpu()]
        )
        return Trained(self.weights[chosen], self.losses[chosen], pieces)


@dataclass(frozen=True)
class ClientPieces:
    """Which pieces of the weights clients hold.

    pieces: positions in the weights of each of P pieces; every position lies in one.
    by_client: (C, P) booleans.
    """

    pieces: Sequence[Tensor]
    by_client: Tensor

    def positions(self, client: int) -> Tensor:
        """Return the positions of the weights that a client holds, ascending."""
        pieces = zip(self.pieces, self.by_client[client], strict=True)
        return torch.cat([piece for piece, holds in pieces if holds]).sort().values


def mini_batches(
    local_update: LocalUpdate, plan: LocalPlan, least: int = 1
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the epoch, from 1, and the rows of each mini-batch of a local update, as `batched`.

    Raises:
        UserError: if the client has fewer samples, of which batch normalisation makes nothing.
    """
    count = len(local_update.rows)
    if min(count, plan.batch or count) < least:
        raise UserError(
            f"client {local_update.client} has a mini-batch of one sample, of which batch "
            "normalisation makes nothing; give samples_per_client and local_batch at least 2, "
            "or training.batch_norm: frozen"
        )
    order = stream(local_update.seed, "local", local_update.round_number, local_update.client)
    return batched(local_update.rows, plan, order, least)


def batched(
    rows: np.ndarray, plan: LocalPlan, order: np.random.Generator, least: int = 1
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the epoch, from 1, and each mini-batch of rows.

    Every epoch has a new order; the last batch may be smaller, but for `least` samples, below
    which it joins the one before it.
    """
    count = len(rows)
    starts = list(range(0, count, plan.batch or count))
    if len(starts) > 1 and count - starts[-1] < least:
        starts.pop()
    for epoch in range(1, plan.epochs + 1):
        shuffled = order.permutation(rows)
        for start, end in zip(starts, [*starts[1:], count], strict=True):
            yield epoch, shuffled[start:end]


def least_batch(split_model: SplitModel) -> int:
    """Return the fewest samples that a mini-batch may have."""
    return 2 if couples_samples(split_model.whole) else 1


def training_of(plan: LocalPlan, hooks: Hooks, local_update: LocalUpdate) -> Training:
    """Return the training values of a local update: the plan's, at the rate of its round."""
    decayed = plan.training.learning_rate * plan.training.decay ** (local_update.round_number - 1)
    rate = decayed * hooks.rate(local_update.round_number)
    return replace(plan.training, learning_rate=rate)


def start_of(global_weights: Tensor, hooks: Hooks, local_update: LocalUpdate) -> Tensor:
    """Return the weights (X,) that a local update starts from."""
    start = hooks.start(local_update)
    return global_weights if start is None else start


def flattened(parameters: Iterable[Tensor]) -> Tensor:
    """Return a copy of parameters as one vector (X,)."""
    return torch.cat([parameter.detach().flatten() for parameter in parameters])


def shaped(vector: Tensor, parameters: Sequence[Tensor]) -> list[Tensor]:
    """Return parts of one vector (X,) in the shapes of parameters."""
    parts = vector.split([parameter.numel() for parameter in parameters])
    return [part.view_as(parameter) for parameter, part in zip(parameters, parts, strict=True)]


@torch.no_grad()
def set_flat(parameters: Sequence[Tensor], weights: Tensor) -> None:
    """Give parameters the values of one vector (X,)."""
    for parameter, part in zip(parameters, shaped(weights, parameters), strict=True):
        parameter.copy_(part)
