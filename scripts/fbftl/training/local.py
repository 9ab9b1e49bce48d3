"""Local epochs: clients start from the global weights and take optimiser steps of their own.

FedAvg (McMahan et al. 2017), Algorithm 1, ClientUpdate. Every client of a round begins with the
same weights and a fresh optimiser and runs E epochs over mini-batches of its own samples. Dense
networks run stacked, one batched product for all clients of a round; others run one client after
the other, which on a CPU nothing beats.

A network has two halves that meet at a boundary. `Hooks` change the loss, what passes the boundary
forwards and backwards, and what is collected there; who looks at the boundary runs one by one.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream, torch_seed
from fbftl.models.heads import Head
from fbftl.models.modes import couples_samples, dropping
from fbftl.study.job import Training
from fbftl.training.network import LabelledInputs, LabelledSamples
from fbftl.training.optimisers import OPTIMISERS, Optimiser


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

    turn: the round, from 1.
    client: its number.
    rows: (K_u,) rows of its samples, at least one.
    """

    turn: int
    client: int
    rows: np.ndarray


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
    boundary: from what the first half gives (B, ...) to what the second is given; differentiated
        through, so that a function with a backward pass of its own changes both ways.
    collect: is told what passed the boundary, without gradient, and its labels.
    rate: factor of the learning rate in a round, counted from 1.
    start: the weights (X,) that a client starts from, None for the network's.
    """

    loss: Callable[[Tensor, Tensor], Tensor] = cross_entropies
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


@dataclass(frozen=True)
class Trained:
    """What clients have after their local epochs.

    weights: (C, X) parameters of each, flat, in the order of the network's.
    losses: (C,) mean over each one's steps of the mini-batch's mean loss.
    """

    weights: Tensor
    losses: Tensor


def train_clients(
    halves: Halves,
    samples: LabelledSamples,
    visits: Sequence[Visit],
    plan: LocalPlan,
    seed: int,
    hooks: Hooks = FEDAVG,
) -> Trained:
    """Train the clients of one round, by default each from the network's weights, which stay.

    Args:
        halves: the global network.
        samples: of all clients; those of the round are read.
        visits: the C clients of the round, at least one.
        plan: how they train.
        seed: the repetition's seed; with round and client it decides mini-batches and dropout.
        hooks: what is different.

    Raises:
        UserError: if a client's one sample has no statistics to normalise by.
    """
    layers = None if hooks.looks_inside or plan.training.dropout else dense_layers(halves.whole)
    if layers is not None and len(visits) > 1:
        return _stacked(layers, samples, visits, plan, seed, hooks)
    return one_by_one(halves, samples, visits, plan, seed, hooks)


def mini_batches(
    visit: Visit, plan: LocalPlan, seed: int, least: int = 1
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the epoch, from 1, and the rows of each mini-batch of a visit, as `batched`."""
    return batched(visit.rows, plan, stream(seed, "local", visit.turn, visit.client), least)


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
    seed: int,
    hooks: Hooks = FEDAVG,
) -> Trained:
    """Do the same as `train_clients`, one client after the other; for any network."""
    parameters = halves.parameters
    begun = flattened(parameters)
    weights = begun.new_empty(len(visits), len(begun))
    least = 2 if couples_samples(halves.whole) else 1
    losses = []
    try:
        for place, visit in enumerate(visits):
            set_flat(parameters, _start(begun, hooks, visit))
            with _dropout(halves, plan, visit, seed):
                losses.append(_visit(halves, samples, visit, plan, seed, hooks, least))
            weights[place] = flattened(parameters)
    finally:
        set_flat(parameters, begun)
    return Trained(weights, torch.stack(losses))


def _visit(
    halves: Halves, samples: LabelledSamples, visit: Visit, plan: LocalPlan, seed: int,
    hooks: Hooks, least: int,
) -> Tensor:  # fmt: skip
    """Train the network in place as one client does; return its mean loss."""
    optimiser = OPTIMISERS[plan.optimiser].alone(halves.parameters, _training(plan, hooks, visit))
    losses = []
    for epoch, rows in mini_batches(visit, plan, seed, least):
        if len(rows) < least:
            raise UserError(
                f"client {visit.client} has a mini-batch of one sample, of which batch "
                "normalisation makes nothing; give samples_per_client and local_batch at least 2, "
                "or training.batch_norm: frozen"
            )
        batch = samples.at(rows)
        features, own = halves.front(batch.inputs), batch.labels
        if hooks.looks_inside:
            moment = Moment(visit, epoch, epoch == plan.epochs, rows)
            if hooks.boundary is not None:
                features = hooks.boundary(features, moment)
            if hooks.collect is not None:
                hooks.collect(moment, features.detach(), own)
        loss = hooks.loss(halves.rest(features), own).mean()
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
def _dropout(halves: Halves, plan: LocalPlan, visit: Visit, seed: int) -> Iterator[None]:
    """Let dropout act in the block where the plan has it, with masks of the visit's own."""
    if not plan.training.dropout:
        yield
        return
    with torch.random.fork_rng(), dropping(halves.front, halves.rest):
        torch.manual_seed(torch_seed(seed, "dropout", visit.turn - 1, visit.client))
        yield


# --- dense networks, stacked ------------------------------------------------------------------


def dense_layers(model: nn.Module) -> list[nn.Linear] | None:
    """Return the layers of a network that a `Head` can be, or None for any other.

    Such a network flattens its inputs, if it does, and has dense layers with biases and ReLU
    between them. Dropout is looked through.
    """
    inert = nn.Sequential | nn.Dropout | nn.Identity
    leaves = [m for m in model.modules() if not isinstance(m, inert)]
    while leaves and isinstance(leaves[0], nn.Flatten):
        leaves = leaves[1:]
    dense, between = leaves[::2], leaves[1::2]
    fits = all(type(m) is nn.Linear and m.bias is not None for m in dense)
    fits = fits and all(type(m) is nn.ReLU for m in between)
    return dense if fits and len(dense) == len(between) + 1 else None


def _stacked(
    layers: Sequence[nn.Linear], samples: LabelledSamples, visits: Sequence[Visit],
    plan: LocalPlan, seed: int, hooks: Hooks,
) -> Trained:  # fmt: skip
    """Train dense networks side by side, those together that take equally many steps."""
    steps = [list(mini_batches(visit, plan, seed)) for visit in visits]
    begun = flattened(own for layer in layers for own in layer.parameters())
    weights = begun.new_empty(len(visits), len(begun))
    losses = begun.new_empty(len(visits))
    taken = np.unique(np.concatenate([visit.rows for visit in visits]))
    of_round = samples.at(taken)
    for count in sorted({len(own) for own in steps}):
        places = [place for place, own in enumerate(steps) if len(own) == count]
        starts = [_start(begun, hooks, visits[place]) for place in places]
        head = _stack(layers, torch.stack(starts))
        training = _training(plan, hooks, visits[places[0]])
        optimiser = OPTIMISERS[plan.optimiser].stacked(head.parameters(), training)
        batches = [[np.searchsorted(taken, rows) for _, rows in steps[p]] for p in places]
        mean = _train_stack(head, optimiser, batches, of_round, hooks)
        losses[places], weights[places] = mean, _flat(head)
    return Trained(weights, losses)


def _train_stack(
    head: Head, optimiser: Optimiser, batches: Sequence[Sequence[np.ndarray]],
    samples: LabelledInputs, hooks: Hooks,
) -> Tensor:  # fmt: skip
    """Train H stacked networks in place, given the mini-batches of each; return mean losses."""
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
    for rows, weight in zip(at, weights, strict=True):
        logits = head(functional.embedding(rows, values))
        losses = hooks.loss(logits.flatten(0, 1), labels[rows].flatten()).view_as(weight)
        mean = (losses * weight).sum(1)
        optimiser.step(torch.autograd.grad(mean.sum(), head.parameters()))
        means.append(mean.detach())
    return torch.stack(means).mean(0)


@torch.no_grad()
def _stack(layers: Sequence[nn.Linear], weights: Tensor) -> Head:
    """Return H stacked networks from the weights (H, X) of each, as `_flat` gives them."""
    parts = iter(weights.split([own.numel() for m in layers for own in m.parameters()], dim=1))
    pairs = [(m, next(parts), next(parts)) for m in layers]
    shaped = [(w.unflatten(1, m.weight.shape).transpose(1, 2), b[:, None]) for m, w, b in pairs]
    dense = torch.contiguous_format
    return Head(
        [own.clone(memory_format=dense).requires_grad_() for own, _ in shaped],
        [own.clone(memory_format=dense).requires_grad_() for _, own in shaped],
    )


@torch.no_grad()
def _flat(head: Head) -> Tensor:
    """Return each stacked network's parameters as torch's dense layers order them, (H, X)."""
    pairs = zip(head.weights, head.biases, strict=True)
    parts = [part for w, b in pairs for part in (w.transpose(1, 2).flatten(1), b.flatten(1))]
    return torch.cat(parts, dim=1)
