"""What the gradient methods share: rounds of clients, their uplink, one repetition per seed."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from torch import nn

from fbftl.data.participation import clients_of, held_out, participating
from fbftl.exchange.passes import Passes, together
from fbftl.exchange.post import Parts, Post
from fbftl.exchange.protection import protection_by_rounds
from fbftl.exchange.rounds import (
    Arrivals,
    Average,
    Gradient,
    Own,
    batch_gradient,
    client_gradient,
    own_update,
    train_rounds,
)
from fbftl.exchange.uplink import Exchanged, Releasing, Uplink, compressing
from fbftl.ground.errors import UserError
from fbftl.messages.codec import Compression
from fbftl.messages.codec.compression import PLAIN
from fbftl.messages.feedback import mapped_memory, memory
from fbftl.messages.ledger import Ledger
from fbftl.messages.link import link_of, plain_upload_bits
from fbftl.study.job import Job
from fbftl.study.memory import LARGEST_MEMORY, memory_bytes
from fbftl.tasks.task import Federation, Outcome
from fbftl.training.curves import record


@dataclass(frozen=True)
class Learner:
    """A model with what its clients exchange.

    exchanged: what goes up and down in a round.
    together: gradient of a round whose updates are not made, given which of them arrive.
    own: the message of a client.
    passes: how a round's samples go through the model.
    """

    model: nn.Module
    exchanged: Exchanged
    together: Callable[[Arrivals], Gradient]
    own: Own
    passes: Passes = together

    def apart(self, average: Average) -> Gradient:
        """Return the gradient of a round whose updates are made one by one."""
        return client_gradient(self.model, average, self.passes)


def whole_update(
    model: nn.Module, once: Parts | None = None, passes: Passes = together
) -> Learner:  # fmt: skip
    """Return the learner whose clients send a gradient of every parameter, Eq. (2)-(4).

    Args:
        model: what the clients train.
        once: floats of what they need beside it, broadcast once.
        passes: how a round's samples go through it.
    """
    count = parameter_count(model)
    return Learner(
        model=model,
        exchanged=Exchanged(lambda _: {"update": count}, {"weights": count}, once=once),
        together=lambda arrivals: batch_gradient(model, arrivals, passes),
        own=own_update(model, passes),
        passes=passes,
    )


def parameter_count(model: nn.Module) -> int:
    """Return the number of a model's parameters."""
    return sum(parameter.numel() for parameter in model.parameters())


def run_rounds(
    job: Job,
    federation: Federation,
    learner_of: Callable[[int], Learner],
    scratch: Path | None = None,
) -> Outcome:
    """Train by rounds, one repetition per seed.

    Args:
        job: the setting with its training values.
        federation: what the clients hold.
        learner_of: a seed's model, on the training device, and what its clients exchange.
        scratch: folder for memories of error feedback that are too large for RAM.

    Raises:
        UserError: if those memories do not fit.
    """
    ledger = Ledger(method=job.setting.method, store=federation.provenance["features"])
    repetitions = [
        _repetition(job, federation, learner_of(seed), seed, ledger, scratch) for seed in job.seeds
    ]
    return Outcome(repetitions, ledger, federation.provenance)


def _repetition(
    job: Job,
    federation: Federation,
    learner: Learner,
    seed: int,
    ledger: Ledger,
    scratch: Path | None,
) -> dict[str, Any]:
    client = clients_of(job, federation.held, seed)
    offered = participating(client, job.setting.fraction, seed)
    training, validation = held_out(offered, job.training.validation, seed)
    owners, clients = grouped(training, client)
    protection = protection_by_rounds(job, clients, seed)
    block_bits = plain_upload_bits(federation.feature_width, federation.classes)
    uplink = Uplink(
        post=Post(
            ledger,
            link_of(job.setting, block_bits),
            seed,
            protection.records[0],
            Compression(job.setting.bits, job.setting.keep),
        ),
        exchanged=learner.exchanged,
        owners=owners,
        own=learner.own,
        releasing=protection.releasing or compression_of(job, learner, len(clients), scratch),
        averaging=protection.averaging,
    )
    gradient = (
        learner.together(uplink.arrivals)
        if uplink.releasing is None
        else learner.apart(uplink.average)
    )
    curves = train_rounds(
        learner.model,
        gradient,
        protection.schedule,
        federation.samples,
        validation,
        federation.test,
        job.training,
    )
    return (
        record(curves, job.training.selection)
        | {"seed": seed, "clients": len(clients), "offered": len(offered), "seen": len(training)}
        | uplink.found()
        | {"privacy": [asdict(guarantee) for guarantee in protection.records]}
    )


def compression_of(
    job: Job, learner: Learner, clients: int, scratch: Path | None
) -> Releasing | None:
    """Return how updates are compressed under a setting, or None if they are sent as they are.

    Raises:
        UserError: if the memories of error feedback would fit neither RAM nor the folder.
    """
    compression = Compression(job.setting.bits, job.setting.keep)
    if compression == PLAIN:
        return None
    if not job.setting.feedback:
        return compressing(compression, None)
    parameters = parameter_count(learner.model)
    needed = memory_bytes(clients, parameters)
    if needed <= LARGEST_MEMORY:
        return compressing(compression, memory(clients, parameters))
    if scratch is None:
        raise UserError(
            f"error feedback needs {needed / 1e9:.1f} GB for {clients} clients with "
            f"{parameters:,} parameters each; name a folder with that much room as "
            "scratch_folder in the config, or set feedback: [false] in the experiment"
        )
    return compressing(compression, mapped_memory(clients, parameters, scratch))


def grouped(rows: np.ndarray, client: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the clients that hold any of the rows, ascending, and the rows of each."""
    owners, counts = np.unique(client[rows], return_counts=True)
    order = np.argsort(client[rows], kind="stable")
    return owners, np.split(rows[order], np.cumsum(counts)[:-1])
