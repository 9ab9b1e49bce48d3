"""What the gradient methods share: rounds of clients, their uplink, one repetition per seed."""

from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from fbftl.data.participation import at_most, clients_of, grouped, held_out, participating
from fbftl.exchange.post import Post
from fbftl.exchange.protection import Protection, protection_by_rounds
from fbftl.exchange.uplink import (
    Releasing,
    Traffic,
    Uplink,
    as_gradient,
    by_steps,
    compressing,
    memory,
)
from fbftl.ground.errors import UserError
from fbftl.ground.room import mapped
from fbftl.messages.channel import link_of
from fbftl.messages.codec import Compression
from fbftl.messages.codec.compression import PLAIN
from fbftl.messages.ledger import Ledger
from fbftl.study.bounds import LARGEST_MEMORY, memory_bytes
from fbftl.study.job import Job
from fbftl.training.batches import Round, Rounds
from fbftl.training.curves import MEASURES, SERIES
from fbftl.training.tasks.task import ClientData, Learner, Outcome, Repetition, Score

Train = Callable[[Any, Uplink, Iterable[Rounds]], list[int]]
"""Trains a learner through its uplink; returns the rounds by the end of each point of its curves.
"""

Protecting = Callable[[Repetition, Any], Protection]
"""Returns how a repetition's learner is protected, and what that guarantees."""


def on_updates(repetition: Repetition, learner: Learner) -> Protection:
    """Return the protection of what clients send every round."""
    taking_part = repetition.job, repetition.clients, repetition.seed
    return protection_by_rounds(*taking_part, learner.schedule)


def parameter_count(learner: Learner) -> int:
    """Return how many numbers a learner trains."""
    return sum(parameter.numel() for parameter in learner.parameters)


def whole_update(frozen: int | None = None) -> Callable[[Learner], Traffic]:
    """Return what is exchanged where clients send a gradient of every parameter, Eq. (2)-(4).

    Args:
        frozen: floats of the part that is not trained, sent once; None where there is none.
    """

    def exchanged(learner: Learner) -> Traffic:
        count = parameter_count(learner)
        return Traffic(lambda _: {"update": count}, {"weights": count}, frozen=frozen)

    return exchanged


def offered_rows(job: Job, client: np.ndarray, seed: int) -> np.ndarray:
    """Return the rows of the clients that take part, as many of each as the setting leaves it.

    Args:
        job: the setting.
        client: (n,) client of each sample.
        seed: the repetition's seed.
    """
    rows = participating(client, job.setting.fraction, seed)
    return at_most(rows, client, getattr(job.setting, "most_samples", None), seed)


def run_rounds(
    job: Job,
    client_data: ClientData,
    learner_of: Callable[[Repetition], Learner],
    exchanged: Callable[[Any], Traffic],
    scratch: Path | None = None,
    train: Train | None = None,
    protecting: Protecting | None = None,
) -> Outcome:
    """Train by rounds, one repetition per seed.

    Args:
        job: the setting with its training values.
        client_data: what the clients hold.
        learner_of: gives a repetition's learner.
        exchanged: gives what clients and server send each other with such a learner.
        scratch: folder for memories of error feedback that are too large for RAM.
        train: how rounds train a learner through its uplink; by gradients if None.
        protecting: what the setting's mechanism means; one on updates if None.

    Raises:
        UserError: if those memories do not fit.
    """
    train, protecting = train or by_gradients, protecting or on_updates
    ledger = Ledger(method=job.setting.method, store=client_data.provenance["features"])
    repetitions, texts, score = [], {}, Score({})
    for seed in job.seeds:
        client = clients_of(job, client_data.partition, seed)
        offered = offered_rows(job, client, seed)
        training, validation = held_out(offered, job.training.validation, seed)
        owners, clients = grouped(training, client)
        repetition = Repetition(job, seed, clients, validation)
        learner = learner_of(repetition)
        protection = protecting(repetition, learner)
        guarantee, compression = protection.records[0], _compression(job)
        link = link_of(job.setting, client_data.block_bits)
        traffic = exchanged(learner)
        uplink = Uplink(
            post=Post(ledger, link, seed, guarantee, compression),
            exchanged=traffic,
            owners=owners,
            client_message=traffic.message or learner.client_message,
            releasing=protection.releasing or compression_of(job, learner, len(clients), scratch),
            averaging=protection.averaging,
        )
        ends = train(learner, uplink, protection.schedule)
        score = client_data.score(repetition, learner)
        samples = {"received": offered, "seen": training}
        chosen, texts[seed] = score.record["epoch"], score.texts
        repetitions.append(
            score.record
            | {"seed": seed, "clients": len(clients), "offered": len(offered)}
            | {name: int(uplink.post.arrived(client[rows]).sum()) for name, rows in samples.items()}
            | uplink.totals(ends[chosen - 1] if chosen else 0)
            | {"privacy": [asdict(guarantee) for guarantee in protection.records]}
        )
    return Outcome(
        repetitions,
        ledger,
        client_data.provenance,
        measures={**MEASURES, **score.measures},
        series={**SERIES, **score.series},
        transcript=client_data.transcript(texts),
    )


def by_gradients(learner: Learner, uplink: Uplink, schedule: Iterable[Rounds]) -> list[int]:
    """Train by rounds of gradients; return how many there were by the end of each epoch.

    The server steps with the learner's own gradient over all samples that arrive where nothing
    needs single updates, and with the average of the clients' where something does.
    """

    def step(round_: Round) -> Tensor:
        if uplink.releasing is None:
            losses, gradient = learner.mean_gradient(round_, uplink.arrivals(round_))
        else:
            losses, updates = learner.client_gradients(round_)
            average, _ = uplink.averaged(round_, updates.cpu().numpy())
            gradient = as_gradient(learner, average)
        learner.step(gradient)
        return losses

    return by_steps(learner, step, schedule)


def _compression(job: Job) -> Compression:
    return Compression(job.setting.bits, job.setting.keep)


def compression_of(
    job: Job, learner: Learner, clients: int, scratch: Path | None
) -> Releasing | None:
    """Return how updates are compressed under a setting, or None if they are sent as they are.

    Args:
        job: the setting with its training values.
        learner: what is trained.
        clients: how many may send one.
        scratch: folder for memories of error feedback that are too large for RAM.

    Raises:
        UserError: if the memories of error feedback would fit neither RAM nor the folder.
    """
    compression = _compression(job)
    if compression == PLAIN:
        return None
    if not job.setting.feedback:
        return compressing(compression, None)
    parameters = parameter_count(learner)
    needed = memory_bytes(clients, parameters)
    if needed <= LARGEST_MEMORY:
        return compressing(compression, memory(clients, parameters))
    if scratch is None:
        raise UserError(
            f"error feedback needs {needed / 1e9:.1f} GB for {clients} clients with "
            f"{parameters:,} parameters each; name a folder with that much room as "
            "scratch_folder in the config, or set feedback: [false] in the experiment"
        )
    return compressing(compression, mapped((clients, parameters), scratch))
