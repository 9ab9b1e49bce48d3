"""What the gradient methods share: rounds of clients, their uplink, one repetition per seed."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from torch import nn

from fbftl.data.participation import clients_of, held_out, participating
from fbftl.exchange.passes import Passes, together
from fbftl.exchange.protection import protection_by_rounds
from fbftl.exchange.rounds import (
    Arrivals,
    Average,
    Gradient,
    batch_gradient,
    client_gradient,
    train_rounds,
)
from fbftl.exchange.uplink import Releasing, Uplink, compressing
from fbftl.ground.errors import UserError
from fbftl.messages.codec import Compression
from fbftl.messages.codec.compression import PLAIN
from fbftl.messages.feedback import mapped_memory, memory
from fbftl.messages.ledger import BROADCAST, Ledger
from fbftl.messages.link import link_of, plain_upload_bits
from fbftl.study.job import Job
from fbftl.study.memory import LARGEST_MEMORY, memory_bytes
from fbftl.tasks.task import Federation, Outcome
from fbftl.training.curves import record


@dataclass(frozen=True)
class Learner:
    """A model with what its clients exchange.

    together: gradient of a round whose updates are never made, given which of them arrive.
    uplink_floats: floats of one client's message, given its number of samples K_u.
    downlink_floats: floats of one round's broadcast.
    answer_floats: floats of the answer to one client's message, given its K_u.
    once_floats: floats of the broadcast before the first round.
    passes: how a round's samples go through the model.
    """

    model: nn.Module
    together: Callable[[Arrivals], Gradient]
    uplink_floats: Callable[[np.ndarray], np.ndarray]
    downlink_floats: int
    answer_floats: Callable[[np.ndarray], np.ndarray] = np.zeros_like
    once_floats: int = 0
    passes: Passes = together

    def apart(self, average: Average) -> Gradient:
        """Return the gradient of a round whose updates are made one by one."""
        return client_gradient(self.model, average, self.passes)


def whole_update(
    model: nn.Module, once_floats: int = 0, passes: Passes = together
) -> Learner:  # fmt: skip
    """Return the learner whose clients send a gradient of every parameter, Eq. (2)-(4).

    Args:
        model: what the clients train.
        once_floats: floats of what they need beside it, broadcast once.
        passes: how a round's samples go through it.
    """
    count = sum(parameter.numel() for parameter in model.parameters())
    return Learner(
        model=model,
        together=lambda arrivals: batch_gradient(model, arrivals, passes),
        uplink_floats=lambda samples: np.full_like(samples, count),
        downlink_floats=count,
        once_floats=once_floats,
        passes=passes,
    )


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
    uplink = Uplink(
        link=link_of(job.setting, plain_upload_bits(federation.feature_width, federation.classes)),
        floats=learner.uplink_floats,
        seed=seed,
        compression=Compression(job.setting.bits, job.setting.keep),
        releasing=protection.releasing or compression_of(job, learner, len(clients), scratch),
        averaging=protection.averaging,
        answer_floats=learner.answer_floats,
    )
    if learner.once_floats:
        ledger.add_downlink(seed, np.zeros(1, dtype=int), learner.once_floats, BROADCAST)
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
    sent = uplink.enter(ledger, owners, learner.downlink_floats, protection.records[0])
    return (
        record(curves, job.training.selection)
        | {"seed": seed, "clients": len(clients), "offered": len(offered), "seen": len(training)}
        | sent
        | uplink.measured()
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
    parameters = learner.downlink_floats
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
