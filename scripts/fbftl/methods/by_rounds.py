"""What the gradient methods share: rounds of clients, lost updates, one repetition per seed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import nn

from fbftl.batches import Rounds, rounds
from fbftl.curves import record
from fbftl.job import Job
from fbftl.ledger import BROADCAST, FLOAT_BITS, Ledger
from fbftl.methods import Outcome
from fbftl.randomness import stream
from fbftl.rounds import Gradient, LabelledInputs, batch_gradient, train_rounds
from fbftl.uploads import held_out, participating


@dataclass(frozen=True)
class Federation:
    """What the clients hold, and the test split.

    samples: the clients' samples, on the training device.
    client: (n,) client of each sample.
    test: the test split.
    provenance: digests of where the samples come from.
    """

    samples: LabelledInputs
    client: np.ndarray
    test: LabelledInputs
    provenance: dict[str, Any]

    @property
    def classes(self) -> int:
        """Number of classes N."""
        return int(max(self.samples.labels.max(), self.test.labels.max())) + 1


@dataclass(frozen=True)
class Learner:
    """A model with the way its gradient comes about and what its clients exchange.

    uplink_floats: floats of one client's update, given its number of samples K_u.
    downlink_floats: floats of one round's broadcast.
    """

    model: nn.Module
    gradient: Gradient
    uplink_floats: Callable[[np.ndarray], np.ndarray]
    downlink_floats: int


def whole_update(model: nn.Module) -> Learner:
    """Return the learner whose clients send a gradient of every parameter, Eq. (2)-(4)."""
    count = sum(parameter.numel() for parameter in model.parameters())
    return Learner(
        model=model,
        gradient=batch_gradient(model),
        uplink_floats=lambda samples: np.full_like(samples, count),
        downlink_floats=count,
    )


def run_rounds(job: Job, federation: Federation, learner_of: Callable[[int], Learner]) -> Outcome:
    """Train by rounds, one repetition per seed.

    Args:
        job: the setting with its training values.
        federation: what the clients hold.
        learner_of: a seed's model, on the training device, and its gradient.
    """
    ledger = Ledger(method=job.setting.method, store=federation.provenance.get("features"))
    repetitions = [
        _repetition(job, federation, learner_of(seed), seed, ledger) for seed in job.seeds
    ]
    return Outcome(repetitions, ledger, federation.provenance)


def _repetition(
    job: Job, federation: Federation, learner: Learner, seed: int, ledger: Ledger
) -> dict[str, Any]:
    offered = participating(federation.client, job.setting.fraction, seed)
    training, validation = held_out(offered, job.training.validation, seed)
    owners, clients = grouped(training, federation.client)
    schedule = rounds(clients, job.training.clients_per_round, job.training.epochs, seed)
    sent = _sent(schedule, owners, job, learner, seed, ledger)
    curves = train_rounds(
        learner.model,
        learner.gradient,
        sent,
        federation.samples,
        validation,
        federation.test,
        job.training,
    )
    counts = {"seed": seed, "offered": len(offered), "received": len(offered)}
    return record(curves, job.training.selection) | counts | {"seen": len(training)}


def grouped(rows: np.ndarray, client: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the clients that hold any of the rows, ascending, and the rows of each."""
    owners, counts = np.unique(client[rows], return_counts=True)
    order = np.argsort(client[rows], kind="stable")
    return owners, np.split(rows[order], np.cumsum(counts)[:-1])


def _sent(
    schedule: Iterator[Rounds],
    owners: np.ndarray,
    job: Job,
    learner: Learner,
    seed: int,
    ledger: Ledger,
) -> Iterator[tuple[Rounds, np.ndarray]]:
    """Draw which updates arrive, enter every message in the ledger, and pass the rounds on."""
    draws = stream(seed, "loss")
    first = 1
    for epoch in schedule:
        arrives = draws.random(epoch.clients.shape) >= job.setting.plr
        takes_part = epoch.clients >= 0
        number = np.broadcast_to(
            np.arange(first, first + len(epoch.clients))[:, None], epoch.clients.shape
        )[takes_part]
        bits = FLOAT_BITS * learner.uplink_floats(epoch.counts[takes_part])
        ledger.add(
            len(number),
            seed=seed,
            direction="up",
            round=number,
            client=owners[epoch.clients[takes_part]],
            payload_bits=bits,
            bits=bits,
            lost=~arrives[takes_part],
        )
        down = FLOAT_BITS * learner.downlink_floats
        ledger.add(
            len(epoch.clients),
            seed=seed,
            direction="down",
            round=np.arange(first, first + len(epoch.clients)),
            client=BROADCAST,
            payload_bits=down,
            bits=down,
            lost=False,
        )
        first += len(epoch.clients)
        yield epoch, arrives
