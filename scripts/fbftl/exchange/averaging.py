"""FedAvg's rounds (McMahan et al. 2017, Algorithm 1): local epochs, weights up, their average.

Plain clients send their weights w_u, and the server averages those that arrive by their numbers of
samples K_u, normalised once, over these clients. Compressed and private clients send what became
of the weights instead, K_u (w_u - w): it is to the average what the sum of gradients is to a
gradient method, so that error feedback, clipping, DP-FedAvg's noise and its fixed divisor are
those of `exchange/uplink.py`. A round of which nothing arrives leaves the weights as they are.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fbftl.exchange.repetition import Train, parameter_count
from fbftl.exchange.uplink import Traffic, Uplink
from fbftl.messages.codec import NotFiniteError
from fbftl.study.job import Job
from fbftl.tasks.task import LocalLearner
from fbftl.training.batches import Round, Rounds
from fbftl.training.visits import HeldPieces, Trained


def by_samples(weights: Tensor, counts: np.ndarray) -> Tensor:
    """Return the average (X,) of clients' weights (A, X) by their numbers of samples (A,)."""
    shares = torch.from_numpy(counts / counts.sum()).to(weights)
    return shares @ weights


def by_holders(weights: Tensor, counts: np.ndarray, held: HeldPieces, before: Tensor) -> Tensor:
    """Return the average (X,) of each piece of the weights over the clients that hold it.

    A piece that nobody holds stays as it is; paper thesis, Alg. 4.2, divides zero by zero there.

    Args:
        weights: (A, X) those of the clients that arrive.
        counts: (A,) their numbers of samples.
        held: which pieces they hold.
        before: (X,) the global weights.
    """
    average = before.clone()
    holders, pattern = np.unique(held.by_client.numpy().T, axis=0, return_inverse=True)
    for place, own in enumerate(holders):
        if own.any():
            pieces = [held.pieces[piece] for piece in np.flatnonzero(pattern.ravel() == place)]
            places = torch.cat(pieces).sort().values
            chosen = torch.from_numpy(np.flatnonzero(own)).to(weights.device)
            average[places] = by_samples(weights[chosen][:, places], counts[own])
    return average


def replaced(before: Tensor, average: Tensor) -> Tensor:
    """Return what FedAvg's server goes on with: the average."""
    return average


def with_momentum(beta: float) -> Callable[[Tensor, Tensor], Tensor]:
    """Return FedAvgM's step (Hsu et al. 2019): v = beta v + (average - w), then w + v."""
    velocity: Tensor | None = None

    def stepped(before: Tensor, average: Tensor) -> Tensor:
        nonlocal velocity
        moved = average - before
        velocity = moved if velocity is None else beta * velocity + moved
        return before + velocity

    return stepped


@dataclass(frozen=True)
class Server:
    """What the server does with a round; the defaults are FedAvg.

    aggregate: from the weights (A, X) and samples (A,) of the clients that arrive to their average.
    advance: from the global weights and the average to the new global weights.
    after: is told learner, round and which of its clients arrived (C,), once the weights are set.
    """

    aggregate: Callable[[Tensor, np.ndarray], Tensor] = by_samples
    advance: Callable[[Tensor, Tensor], Tensor] = replaced
    after: Callable[[LocalLearner, Round, np.ndarray], None] = lambda *_: None


def pieces_held(learner: Any) -> Traffic:
    """Return what is exchanged where each client gets and sends the pieces that it trains."""
    return Traffic(lambda _: {}, {}, own=lambda one: {"weights": learner.floats(one)})


def weights_or_updates(job: Job) -> Callable[[LocalLearner], Traffic]:
    """Return what is exchanged: the model every round, and up weights, or updates of them."""
    setting = job.setting
    plain = setting.mechanism == "none" and setting.bits == 32 and setting.keep == 1
    part = "weights" if plain else "update"

    def exchanged(learner: LocalLearner) -> Traffic:
        count = parameter_count(learner)
        return Traffic(lambda _: {part: count}, {"weights": count})

    return exchanged


Step = Callable[[LocalLearner, Uplink, Round], Tensor]
"""Trains, exchanges and averages one round in place; returns the mean of its clients' losses."""


def by_weights(server_of: Callable[[], Server] = Server) -> Train:
    """Return training by averages of weights; every repetition has a server of its own."""

    def begin() -> Step:
        server = server_of()
        return lambda learner, uplink, one: _round(learner, uplink, server, one)

    return in_rounds(begin)


def in_rounds(begin: Callable[[], Step]) -> Train:
    """Return training by rounds of local epochs; every repetition begins a step of its own."""

    def train(learner: LocalLearner, uplink: Uplink, schedule: Iterable[Rounds]) -> list[int]:
        step, ends = begin(), [0]
        for point in schedule:
            losses: list[Tensor] = []
            for one in () if learner.diverged else point.single(ends[-1]):
                try:
                    losses.append(step(learner, uplink, one))
                except NotFiniteError:
                    losses.append(torch.tensor(math.nan))
                    break
            learner.end_epoch(losses)
            ends.append(ends[-1] + len(losses))
        return ends[1:]

    return train


def _round(learner: LocalLearner, uplink: Uplink, server: Server, one: Round) -> Tensor:
    """Train, exchange and average one round; return the mean of its clients' losses."""
    trained, before = learner.train(one), learner.weights()
    if uplink.releasing is None:
        arrives = uplink.arrivals(one)
        average = before
        if arrives.any():
            own = torch.from_numpy(arrives).to(before.device)
            average = _average(server, trained.of(own), one.counts[arrives], before)
    else:
        mean, arrives = uplink.averaged(one, _updates(trained, before, one))
        average = before + torch.from_numpy(mean).to(before)
    if not torch.equal(average, before):
        learner.set_weights(server.advance(before, average))
    server.after(learner, one, arrives)
    return torch.zeros(()) if trained is None else trained.losses.mean()


def _average(server: Server, arrived: Trained, counts: np.ndarray, before: Tensor) -> Tensor:
    """Return the average of what arrives; where clients hold different pieces, piece by piece."""
    if arrived.held is None:
        return server.aggregate(arrived.weights, counts)
    return by_holders(arrived.weights, counts, arrived.held, before)


def _updates(trained: Trained | None, before: Tensor, one: Round) -> np.ndarray:
    """Return K_u (w_u - w) of each client, (C, X)."""
    if trained is None:
        return np.zeros((0, len(before)), dtype=np.float32)
    counts = torch.from_numpy(one.counts).to(before)
    return ((trained.weights - before) * counts[:, None]).cpu().numpy()
