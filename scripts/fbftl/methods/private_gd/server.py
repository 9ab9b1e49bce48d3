"""A trusted server: clients send it their samples once, as they are, and it adds all the noise."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from fbftl.data.participation import clients_of, participating
from fbftl.exchange.post import Post
from fbftl.ground.errors import required
from fbftl.messages.channel import Link, PacketLoss
from fbftl.messages.ledger import Ledger
from fbftl.privacy import mechanisms
from fbftl.privacy.accounting import Adjacency
from fbftl.privacy.mechanisms import PrivacyRecord
from fbftl.study.job import Job
from fbftl.training.tasks.task import ClientFeatures

ADJACENCY: dict[str, Adjacency] = {"removed": "add-remove", "replaced": "replace-one"}
"""What the axis `neighbour_relation` says, as accountants call it."""


LOUDER = 2.0
"""What the noise of the axis `louder_step` is multiplied by."""


@dataclass(frozen=True, eq=False)
class Noise:
    """What the server adds to its steps, and what that guarantees.

    multipliers: (T,) noise standard deviations over G / N; zeros for none.
    records: the guarantees, the one that the noise was calibrated to first.
    """

    multipliers: np.ndarray
    records: tuple[PrivacyRecord, ...]


def noise_of(job: Job) -> Noise:
    """Return the noise that a setting asks for.

    Raises:
        UserError: if its budget does not pay for a step.
    """
    setting = job.setting
    if setting.mechanism == "none":
        return Noise(np.zeros(setting.descent_steps), (mechanisms.no_mechanism(),))
    axes = (
        "sigma",
        "epsilon",
        "accountant",
        "schedule",
        "descent_steps",
        "decay",
        "descent_momentum",
    )
    values = tuple(getattr(setting, axis) for axis in axes)
    adjacency = ADJACENCY[setting.neighbour_relation]
    delta, clip_norm = required(job.privacy.delta), required(job.privacy.gradient_clip)
    return _scheduled(*values, setting.louder_step, adjacency, delta, clip_norm)


@cache
def _scheduled(
    sigma: float | None, epsilon: float, accountant: str, schedule: str, steps: int,
    decay: float, momentum: float, louder_step: int | None, adjacency: Adjacency, delta: float,
    clip_norm: float,
) -> Noise:  # fmt: skip
    # Accounting is slow to import, and only this mechanism needs it.
    from fbftl.privacy.accounting import schedule_budget
    from fbftl.privacy.schedules import affordable, named

    # A given sigma is that of uniform noise; other schedules share out what it costs.
    budget = steps * sigma**-2 if sigma else schedule_budget(epsilon, delta, accountant, adjacency)
    multipliers = named(schedule, budget, steps, decay, momentum)
    multipliers = multipliers[: affordable(multipliers, budget)]
    if louder_step is not None:
        multipliers[louder_step - 1] *= LOUDER
    records = mechanisms.dp_gd(
        clip_norm=clip_norm,
        multipliers=multipliers.tolist(),
        delta=delta,
        accountant=accountant,
        adjacency=adjacency,
    )
    return Noise(multipliers, records)


def sent(
    job: Job, client_data: ClientFeatures, ledger: Ledger, seed: int, guarantee: PrivacyRecord
) -> tuple[np.ndarray, dict[str, Any]]:
    """Send one seed's samples to the server; return their rows and what the run file counts."""
    client = clients_of(job, client_data.partition, seed)
    offered = participating(client, job.setting.fraction, seed)
    payload = client_data.payload
    post = Post(ledger, Link(PacketLoss(0.0), 0, client_data.block_bits), seed, guarantee)
    if client_data.frozen_floats:
        post.deploy(client_data.frozen_floats)
    post.up({"features": payload.width}, client[offered], sample=payload.sample[offered])
    clients = len(np.unique(client[offered]))
    counts = {
        "clients": clients,
        "offered": len(offered),
        "received": len(offered),
        "seen": len(offered),
        "upload_batches": clients,
        "numbers_per_batch": payload.width * len(offered) / clients,
    }
    return offered, counts | post.totals(range(1))
