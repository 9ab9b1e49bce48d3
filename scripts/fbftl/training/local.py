"""Local epochs: clients start from the global weights and take optimiser steps of their own.

FedAvg (McMahan et al. 2017), Algorithm 1, ClientUpdate. Every client of a round begins with the
same weights and a fresh optimiser and runs E epochs over mini-batches of its own samples. Dense
networks run stacked, one batched product for all clients of a round; others run one client after
the other, which on a CPU is seldom beaten (`training/kept.py` stacks small convolutions too).

A network has two halves that meet at a boundary. `Hooks` change the loss, what passes the boundary
forwards and backwards, and what is collected there; who looks at the boundary runs one by one.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream, torch_seed
from fbftl.models.convolutional import ConvolutionalStack
from fbftl.models.dense import DenseStack, dense_shape
from fbftl.models.modes import couples_samples, dropping
from fbftl.study.job import Training
from fbftl.training.network import LabelledInputs, LabelledSamples
from fbftl.training.optimisers import OPTIMISERS, Optimiser

Stack = DenseStack | ConvolutionalStack


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
class Visit:
    """A client's part in a round.

    seed: its repetition's; with round and client it decides mini-batches and dropout.
    turn: the round, from 1.
    client: its number.
    rows: (K_u,) rows of its samples, at least one.
    slot: which network it trains, where there are several.
    """

    seed: int
    turn: int
    client: int
    rows: np.ndarray
    slot: int = 0


@dataclass(frozen=True)
class Moment:
    """One mini-batch of a visit.

    epoch: from 1.
    last: whether the epoch is the visit's last.
    rows: (B,) rows of its samples.
    """

    visit: Visit
    epoch: int
    last: bool
    rows: np.ndarray


def cross_entropies(logits: Tensor, labels: Tensor) -> Tensor:
    """Return every sample's cross-entropy, (n,)."""
    return functional.cross_entropy(logits, labels, reduction="none")


@dataclass(frozen=True)
class Hooks:
    """What may be different in local training; the defaults are FedAvg.

    loss: from logits (n, N) and labels (n,) to each sample's loss (n,).
    logits: from logits (n, N) and the rows (n,) of their samples to what the loss is given.
    boundary: from what the first half gives (B, ...) to what the second is given; differentiated
        through, so that a function with a backward pass of its own changes both ways.
    collect: is told what passed the boundary, without gradient, and its labels.
    rate: factor of the learning rate in a round, counted from 1.
    start: the weights (X,) that a visit starts from, None for the network's.
    """

    loss: Callable[[Tensor, Tensor], Tensor] = cross_entropies
    logits: Callable[[Tensor, np.ndarray], Tensor] = lambda logits, _: logits
    boundary: Callable[[Tensor, Moment], Tensor] | None = None
    collect: Callable[[Moment, Tensor, Tensor], None] | None = None
    rate: Callable[[int], float] = lambda turn: 1.0
    start: Callable[[Visit], Tensor | None] = lambda visit: None

    @property
    def looks_inside(self) -> bool:
        """Whether anything happens at the boundary."""
        return self.boundary is not None or self.collect is not None


FEDAVG = Hooks()


@dataclass(frozen=True)
class Halves:
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
    held: which of the weights are theirs; None if all of them are.
    """

    weights: Tensor
    losses: Tensor
    held: "HeldPieces | None" = None

    def of(self, chosen: Tensor) -> "Trained":
        """Return what some of the clients have, given which, (C,) booleans."""
        held = self.held and HeldPieces(self.held.pieces, self.held.by_client[chosen.cpu()])
        return Trained(self.weights[chosen], self.losses[chosen], held)


@dataclass(frozen=True)
class HeldPieces:
    """Which pieces of the weights clients hold.

    pieces: places of each of P pieces; every place lies in one.
    by_client: (C, P) booleans.
    """

    pieces: Sequence[Tensor]
    by_client: Tensor

    def places(self, client: int) -> Tensor:
        """Return the places of the weights that a client holds, ascending."""
        pieces = zip(self.pieces, self.by_client[client], strict=True)
        return torch.cat([piece for piece, own in pieces if own]).sort().values


def train_clients(
    halves: Halves,
    samples: LabelledSamples,
    visits: Sequence[Visit],
    plan: LocalPlan,
    hooks: Hooks = FEDAVG,
) -> Trained:
    """Train the clients of one round, by default each from the network's weights, which stay.

    Args:
        halves: the global network.
        samples: of all clients; those of the round are read.
        visits: the C clients of the round, at least one.
        plan: how they train.
        hooks: what is different.

    Raises:
        UserError: if a client's one sample has no statistics to normalise by.
    """
    shape = None if hooks.looks_inside or plan.training.dropout else dense_shape(halves.whole)
    if shape is not None and len(visits) > 1:
        return stacked(halves, partial(DenseStack, shape), samples, visits, plan, hooks)
    return one_by_one(halves, samples, visits, plan, hooks)


def mini_batches(visit: Visit, plan: LocalPlan, least: int = 1) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the epoch, from 1, and the rows of each mini-batch of a visit, as `batched`.

    Raises:
        UserError: if the client has fewer samples, of which batch normalisation makes nothing.
    """
    count = len(visit.rows)
    if min(count, plan.batch or count) < least:
        raise UserError(
            f"client {visit.client} has a mini-batch of one sample, of which batch "
            "normalisation makes nothing; give samples_per_client and local_batch at least 2, "
            "or training.batch_norm: frozen"
        )
    order = stream(visit.seed, "local", visit.turn, visit.client)
    return batched(visit.rows, plan, order, least)


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


def one_by_one(
    halves: Halves,
    samples: LabelledSamples,
    visits: Sequence[Visit],
    plan: LocalPlan,
    hooks: Hooks = FEDAVG,
) -> Trained:
    """Do the same as `train_clients`, one client after the other; for any network."""
    parameters = halves.parameters
    begun = flattened(parameters)
    weights = begun.new_empty(len(visits), len(begun))
    least = _least(halves)
    losses = []
    try:
        for place, visit in enumerate(visits):
            set_flat(parameters, _start(begun, hooks, visit))
            with _dropout(halves, plan, visit):
                losses.append(_visit(halves, samples, visit, plan, hooks, least))
            weights[place] = flattened(parameters)
    finally:
        set_flat(parameters, begun)
    return Trained(weights, torch.stack(losses))


def _least(halves: Halves) -> int:
    """Return the fewest samples that a mini-batch may have."""
    return 2 if couples_samples(halves.whole) else 1


def _visit(
    halves: Halves, samples: LabelledSamples, visit: Visit, plan: LocalPlan, hooks: Hooks,
    least: int,
) -> Tensor:  # fmt: skip
    """Train the network in place as one client does; return its mean loss."""
    optimiser = OPTIMISERS[plan.optimiser].alone(halves.parameters, _training(plan, hooks, visit))
    losses = []
    for epoch, rows in mini_batches(visit, plan, least):
        batch = samples.at(rows)
        features, own = halves.front(batch.inputs), batch.labels
        if hooks.looks_inside:
            moment = Moment(visit, epoch, epoch == plan.epochs, rows)
            if hooks.boundary is not None:
                features = hooks.boundary(features, moment)
            if hooks.collect is not None:
                hooks.collect(moment, features.detach(), own)
        loss = hooks.loss(hooks.logits(halves.rest(features), rows), own).mean()
        gradients = torch.autograd.grad(loss, optimiser.parameters)
        optimiser.step([gradient.contiguous() for gradient in gradients])
        losses.append(loss.detach())
    return torch.stack(losses).mean()


def _training(plan: LocalPlan, hooks: Hooks, visit: Visit) -> Training:
    decayed = plan.training.learning_rate * plan.training.decay ** (visit.turn - 1)
    rate = decayed * hooks.rate(visit.turn)
    return replace(plan.training, learning_rate=rate)


def _start(begun: Tensor, hooks: Hooks, visit: Visit) -> Tensor:
    own = hooks.start(visit)
    return begun if own is None else own


def flattened(parameters: Iterable[Tensor]) -> Tensor:
    """Return a copy of parameters as one vector (X,)."""
    return torch.cat([own.detach().flatten() for own in parameters])


@torch.no_grad()
def set_flat(parameters: Sequence[Tensor], weights: Tensor) -> None:
    """Give parameters the values of one vector (X,)."""
    parts = weights.split([own.numel() for own in parameters])
    for own, part in zip(parameters, parts, strict=True):
        own.copy_(part.view_as(own))


@contextmanager
def _dropout(halves: Halves, plan: LocalPlan, visit: Visit) -> Iterator[None]:
    """Let dropout act in the block where the plan has it, with masks of the visit's own."""
    if not plan.training.dropout:
        yield
        return
    with torch.random.fork_rng(), dropping(halves.front, halves.rest):
        torch.manual_seed(torch_seed(visit.seed, "dropout", visit.turn - 1, visit.client))
        yield


# --- networks of one shape, stacked -----------------------------------------------------------


def stacked(
    halves: Halves, stack_of: Callable[[Tensor], Stack], samples: LabelledSamples,
    visits: Sequence[Visit], plan: LocalPlan, hooks: Hooks,
) -> Trained:  # fmt: skip
    """Do the same as `train_clients`, those side by side that take equally many steps.

    Args:
        halves: the global network.
        stack_of: stacks networks of its shape, given their weights (H, X).
        samples, visits, plan, hooks: as there; nobody looks inside and nothing drops out.
    """
    least = _least(halves)
    steps = [list(mini_batches(visit, plan, least)) for visit in visits]
    begun = flattened(halves.parameters)
    weights = begun.new_empty(len(visits), len(begun))
    losses = begun.new_empty(len(visits))
    taken = np.unique(np.concatenate([visit.rows for visit in visits]))
    of_round = samples.at(taken)
    for count in sorted({len(own) for own in steps}):
        places = [place for place, own in enumerate(steps) if len(own) == count]
        starts = [_start(begun, hooks, visits[place]) for place in places]
        stack = stack_of(torch.stack(starts))
        training = _training(plan, hooks, visits[places[0]])
        optimiser = OPTIMISERS[plan.optimiser].stacked(stack.parameters(), training)
        batches = [[np.searchsorted(taken, rows) for _, rows in steps[p]] for p in places]
        mean = _train_stack(stack, optimiser, batches, of_round, taken, hooks)
        losses[places], weights[places] = mean, stack.flat()
    return Trained(weights, losses)


def _train_stack(
    stack: Stack, optimiser: Optimiser, batches: Sequence[Sequence[np.ndarray]],
    samples: LabelledInputs, numbers: np.ndarray, hooks: Hooks,
) -> Tensor:  # fmt: skip
    """Train H stacked networks in place; return mean losses.

    Args:
        stack: the networks.
        optimiser: of its parameters.
        batches: the mini-batches of each network, places among the samples.
        samples: those of the round.
        numbers: rows of these samples.
        hooks: what is different.
    """
    steps = len(batches[0])
    most = max(len(rows) for own in batches for rows in own)
    chosen = np.zeros((steps, len(batches), most), dtype=np.int64)
    share = np.zeros((steps, len(batches), most), dtype=np.float32)
    for place, own in enumerate(batches):
        for step, rows in enumerate(own):
            chosen[step, place, : len(rows)] = rows
            share[step, place, : len(rows)] = 1 / len(rows)
    values, labels = samples.inputs.flatten(1), samples.labels
    at = torch.from_numpy(chosen).to(labels.device)
    weights = torch.from_numpy(share).to(labels.device)
    means = []
    for own, rows, weight in zip(chosen, at, weights, strict=True):
        logits = stack(functional.embedding(rows, values), weight).flatten(0, 1)
        counted = hooks.logits(logits, numbers[own.ravel()])
        losses = hooks.loss(counted, labels[rows].flatten(0, 1)).view_as(weight)
        mean = (losses * weight).sum(1)
        optimiser.step(torch.autograd.grad(mean.sum(), stack.parameters()))
        means.append(mean.detach())
    return torch.stack(means).mean(0)
