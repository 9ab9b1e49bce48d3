"""FedAvg's rounds (McMahan et al. 2017, Algorithm 1): local epochs, weights up, their average.

Plain clients send their weights w_u, and the server averages those that arrive by their numbers of
samples K_u, normalised once, over these clients. Compressed and private clients send what became
of the weights instead, K_u (w_u - w): it is to the average what the sum of gradients is to a
gradient method, so that error feedback, clipping, DP-FedAvg's noise and its fixed divisor are
those of `exchange/uplink.py`. A round of which nothing arrives leaves the weights as they are.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fbftl.exchange.repetition import Train, parameter_count
from fbftl.exchange.uplink import Traffic, Uplink, by_steps
from fbftl.ground.errors import required
from fbftl.study.job import Job
from fbftl.training.batches import Round, Rounds
from fbftl.training.local_network import LocalNetwork
from fbftl.training.local_updates import ClientPieces, Trained


def by_samples(weights: Tensor, counts: np.ndarray) -> Tensor:
    """Return the average (X,) of clients' weights (A, X) by their numbers of samples (A,)."""
    shares = torch.from_numpy(counts / counts.sum()).to(weights)
    return shares @ weights


def by_holders(
    weights: Tensor, counts: np.ndarray, client_pieces: ClientPieces, before: Tensor
) -> Tensor:
    """Return the average (X,) of each piece of the weights over the clients that hold it.

    A piece that nobody holds stays as it is; paper thesis, Alg. 4.2, divides zero by zero there.

    Args:
        weights: (A, X) those of the clients that arrive.
        counts: (A,) their numbers of samples.
        client_pieces: which pieces they hold.
        before: (X,) the global weights.
    """
    average = before.clone()
    holders, pattern = np.unique(client_pieces.by_client.numpy().T, axis=0, return_inverse=True)
    for index, holds in enumerate(holders):
        if holds.any():
            of_pattern = np.flatnonzero(pattern.ravel() == index).tolist()
            pieces = [client_pieces.pieces[piece] for piece in of_pattern]
            positions = pieces[0] if len(pieces) == 1 else torch.cat(pieces).sort().values
            chosen = torch.from_numpy(np.flatnonzero(holds)).to(weights.device)
            average[positions] = by_samples(weights[chosen[:, None], positions], counts[holds])
    return average


@dataclass(frozen=True)
class Server:
    """What the server does with a round; the defaults are FedAvg.

    aggregate: from the weights (A, X) and samples (A,) of the clients that arrive to their average.

    move: from the weights (X,) of a round and their average (X,), if that is another, to the next.

    after: is told learner, round and which of its clients arrived (C,), once the weights are set.
    """

    aggregate: Callable[[Tensor, np.ndarray], Tensor] = by_samples

    move: Callable[[Tensor, Tensor], Tensor] = lambda before, average: average

    after: Callable[[LocalNetwork, Round, np.ndarray], None] = lambda *_: None


def pieces_held(learner: Any) -> Traffic:
    """Return what is exchanged where each client gets and sends the pieces that it trains."""
    return Traffic(lambda _: {}, {}, by_client=lambda round_: {"weights": learner.floats(round_)})


def weights_or_updates(job: Job) -> Callable[[LocalNetwork], Traffic]:
    """Return what is exchanged: the model every round, and up weights, or updates of them."""
    setting = job.setting
    plain = setting.mechanism == "none" and setting.bits == 32 and setting.keep == 1
    part = "weights" if plain else "update"

    def exchanged(learner: LocalNetwork) -> Traffic:
        count = parameter_count(learner)
        return Traffic(lambda _: {part: count}, {"weights": count})

    return exchanged


Step = Callable[[LocalNetwork, Uplink, Round], Tensor]
"""Trains, exchanges and averages one round in place; returns the mean of its clients' losses."""


def by_weights(server_of: Callable[[], Server] = Server) -> Train:
    """Return training by averages of weights; every repetition has a server of its own."""

    def make_step() -> Step:
        server = server_of()
        return lambda learner, uplink, round_: _round(learner, uplink, server, round_)

    return in_rounds(make_step)


def in_rounds(make_step: Callable[[], Step]) -> Train:
    """Return training by rounds of local epochs; every repetition begins a step of its own."""

    def train(learner: LocalNetwork, uplink: Uplink, schedule: Iterable[Rounds]) -> list[int]:
        return by_steps(learner, partial(make_step(), learner, uplink), schedule)

    return train


def _round(learner: LocalNetwork, uplink: Uplink, server: Server, round_: Round) -> Tensor:
    """Train, exchange and average one round; return the mean of its clients' losses."""
    trained, before = learner.train(round_), learner.weights()
    if uplink.releasing is None:
        arrives = uplink.arrivals(round_)
        average = before
        if arrives.any():
            arrived = torch.from_numpy(arrives).to(before.device)
            average = _average(
                server, required(trained).of(arrived), round_.counts[arrives], before
            )
    else:
        mean, arrives = uplink.averaged(round_, _updates(trained, before, round_))
        average = before + torch.from_numpy(mean).to(before)
    if not torch.equal(average, before):
        learner.set_weights(server.move(before, average))
    server.after(learner, round_, arrives)
    return torch.zeros(()) if trained is None else trained.losses.mean()


def _average(server: Server, arrived: Trained, counts: np.ndarray, before: Tensor) -> Tensor:
    """Return the average of what arrives; where clients hold different pieces, piece by piece."""
    if arrived.pieces is None:
        return server.aggregate(arrived.weights, counts)
    return by_holders(arrived.weights, counts, arrived.pieces, before)


def _updates(trained: Trained | None, before: Tensor, round_: Round) -> np.ndarray:
    """Return K_u (w_u - w) of each client, (C, X)."""
    if trained is None:
        return np.zeros((0, len(before)), dtype=np.float32)
    counts = torch.from_numpy(round_.counts).to(before)
    return ((trained.weights - before) * counts[:, None]).cpu().numpy()
