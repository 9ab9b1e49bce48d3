"""A run of private gradient descent, all its seeds: heads of a trusted server, by noisy descent.

Clients send it their samples as they are. Centre, spread, principal components and the largest norm
come from public samples alone, so that they cost the private samples nothing; what is then done to
a private row looks at no other row.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fbftl.data.participation import participants_of
from fbftl.exchange.post import Post
from fbftl.ground.errors import UserError, required
from fbftl.messages.channel import Link, PacketLoss
from fbftl.messages.ledger import Ledger
from fbftl.methods.private_gd.descent import (
    PRIVATE_MEASURES,
    PRIVATE_SERIES,
    Descended,
    Descent,
    OwnSamples,
    descend,
    logits_of,
    norm_for,
    outputs_for,
)
from fbftl.models.heads import stacked
from fbftl.privacy import mechanisms
from fbftl.privacy.accounting import Adjacency, schedule_budget
from fbftl.privacy.mechanisms import PrivacyRecord
from fbftl.privacy.noise import clip_rows, row_norms
from fbftl.privacy.release import noise_seed
from fbftl.privacy.schedules import affordable, named
from fbftl.study.job import Job
from fbftl.training.curves import RIGHT, packed
from fbftl.training.samples import LabelledInputs
from fbftl.training.tasks.task import (
    ClientFeatures,
    Inputs,
    LabelledFeatures,
    Outcome,
    labelled_features,
)

ADJACENCY: dict[str, Adjacency] = {"removed": "add-remove", "replaced": "replace-one"}
"""What the axis `neighbour_relation` says, as accountants call it."""

LOUDER = 2.0
"""What the noise of the axis `louder_step` is multiplied by."""


def run_together(jobs: Sequence[Job], inputs: Inputs) -> list[Outcome]:
    """Train settings in one process, all their heads stacked and in lockstep.

    Raises:
        ValueError: if they cannot step together.
    """
    if len({_shape(job) for job in jobs}) > 1:
        raise ValueError("settings that differ in more than rows and noise cannot step together")
    client_data = labelled_features(jobs[0], inputs)
    settings = []
    for job in jobs:
        noise = noise_of(job)
        ledger = Ledger(method=job.setting.method, store=client_data.provenance["features"])
        uploads = [sent(job, client_data, ledger, seed, noise.records[0]) for seed in job.seeds]
        settings.append(Entrusted(noise, ledger, uploads))
    seeds = [seed for job in jobs for seed in job.seeds]
    rows = [rows for entrusted in settings for rows, _ in entrusted.uploads]
    multipliers = np.stack(
        [entrusted.noise.multipliers for entrusted in settings for _ in entrusted.uploads], axis=1
    )
    noised_by = [noise_seed(job, seed) for job in jobs for seed in job.seeds]
    fits = private_heads(client_data, jobs[0], seeds, rows, multipliers, noised_by)
    ends = map(record_of, fits.losses.T, fits.models.T.tolist(), fits.right())
    return [
        _outcome(job, client_data, entrusted, list(islice(ends, len(job.seeds))))
        for job, entrusted in zip(jobs, settings, strict=True)
    ]


def _shape(job: Job) -> str:
    """Return what settings that step together have in common, one with noise its clip norm too."""
    common = (job.task, job.training, job.privacy, job.block, job.setting.descent_steps)
    return repr((*common, job.setting.descent_momentum, job.setting.data_scale))


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
    return _scheduled(
        setting.sigma, setting.epsilon, setting.accountant, setting.schedule,
        setting.descent_steps, setting.decay, setting.descent_momentum, setting.louder_step,
        ADJACENCY[setting.neighbour_relation], required(job.privacy.delta),
        required(job.privacy.gradient_clip),
    )  # fmt: skip


@cache
def _scheduled(
    sigma: float | None, epsilon: float, accountant: str, schedule: str, steps: int,
    decay: float, momentum: float, louder_step: int | None, adjacency: Adjacency, delta: float,
    clip_norm: float,
) -> Noise:  # fmt: skip
    # A given sigma is that of uniform noise; other schedules share out what it costs.
    budget = steps * sigma**-2 if sigma else schedule_budget(epsilon, delta, accountant, adjacency)
    multipliers = named(schedule, budget, steps, decay, momentum)
    multipliers = multipliers[: affordable(multipliers, budget)]
    if louder_step is not None:
        multipliers[louder_step - 1] *= LOUDER
    records = mechanisms.dp_gd(
        clip_norm=clip_norm, multipliers=multipliers.tolist(), delta=delta, accountant=accountant,
        adjacency=adjacency,
    )  # fmt: skip
    return Noise(multipliers, records)


@dataclass(frozen=True)
class Entrusted:
    """One setting's uploads and what the server adds to its steps.

    uploads: rows and counts by seed.
    """

    noise: Noise
    ledger: Ledger
    uploads: list[tuple[np.ndarray, dict[str, Any]]]


def sent(
    job: Job, client_data: ClientFeatures, ledger: Ledger, seed: int, guarantee: PrivacyRecord
) -> tuple[np.ndarray, dict[str, Any]]:
    """Send one seed's samples to the server; return their rows and what the run file counts."""
    participants = participants_of(job, client_data.partition, seed)
    offered, payload = participants.offered, client_data.payload
    client = participants.client[offered]
    post = Post(ledger, Link(PacketLoss(0.0), 0, client_data.block_bits), seed, guarantee)
    if client_data.frozen_floats:
        post.deploy(client_data.frozen_floats)
    post.up({"features": payload.width}, client, sample=payload.sample[offered])
    clients = len(np.unique(client))
    counts = {
        "clients": clients,
        "offered": len(offered),
        "received": len(offered),
        "seen": len(offered),
        "upload_batches": clients,
        "numbers_per_batch": payload.width * len(offered) / clients,
    }
    return offered, counts | post.totals(range(1))


@dataclass(frozen=True, eq=False)
class PrivateHeads(Descended):
    """H heads after their last step.

    samples: all samples as the heads read them.
    test: the test split as they read it.
    """

    samples: LabelledInputs
    test: LabelledInputs

    @torch.no_grad()
    def logits(self, samples: LabelledInputs) -> Tensor:
        """Return every head's logits (H, n, classes)."""
        return logits_of(self.head(samples.inputs.expand(len(self.head), -1, -1)))

    def right(self) -> np.ndarray:
        """Return which test samples each head classifies rightly, booleans (H, n)."""
        return (self.logits(self.test).argmax(dim=-1) == self.test.labels).cpu().numpy()


def private_heads(
    client_data: LabelledFeatures,
    job: Job,
    seeds: Sequence[int],
    rows: Sequence[np.ndarray],
    multipliers: np.ndarray,
    noised_by: Sequence[int] | None = None,
) -> PrivateHeads:
    """Train heads on rows of the clients' features by noisy full-batch descent.

    Args:
        client_data: features with a class each, on the training device, with the test split and
            public features.
        job: the setting with its training values.
        seeds: (H,) of each head.
        rows: the rows that each is trained on.
        multipliers: (T, H) noise standard deviation of each step, over G / N; zeros for none.
        noised_by: (H,) seeds of the noise; `seeds` if None.
    """
    training, clip = job.training, job.privacy.gradient_clip
    outputs = outputs_for(client_data.classes)
    norm, components = (required(job.privacy.public_scale)[key] for key in ("norm", "components"))
    norm = job.setting.data_scale or norm
    if clip is not None and not job.block["head"]:
        norm = min(norm, norm_for(clip, outputs) or norm)
    scale = public_scale(required(client_data.public), norm, components)

    def scaled(split: LabelledInputs) -> LabelledInputs:
        inputs = torch.from_numpy(scale(split.inputs.cpu().numpy()))
        return LabelledInputs(inputs.to(split.inputs.device), split.labels)

    samples = scaled(client_data.samples)
    widths = [samples.inputs.shape[1], *job.block["head"], outputs]
    momentum, decay = job.setting.descent_momentum, training.weight_decay
    descent = Descent(multipliers, clip or math.inf, training.learning_rate, momentum, decay)
    data = OwnSamples(samples.inputs, samples.labels, rows)
    device = samples.inputs.device
    done = descend(lambda some: stacked(widths, some, device), data, seeds, descent, noised_by)
    return PrivateHeads(done.head, done.losses, done.models, samples, scaled(client_data.test))


Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class PublicScale:
    """An affine map of inputs (n, d) to (n, k), then a bound on their length.

    centre: (d,) subtracted.
    map: (d, k) that the rest is multiplied by.
    norm: L2 norm that no row exceeds afterwards.
    """

    centre: NDArray[np.float64]
    map: NDArray[np.float64]
    norm: float

    def __call__(self, inputs: Floats) -> Floats:
        """Return inputs (n, d) as they are trained on, (n, k)."""
        mapped = ((inputs - self.centre) @ self.map).astype(np.float32)
        return clip_rows(mapped, self.norm)


def public_scale(public: Floats, norm: float, components: int | None = None) -> PublicScale:
    """Return the scale that centres public samples, gives them unit spread and a largest norm.

    Args:
        public: (m, d) inputs of public samples.
        norm: L2 norm of the longest of them afterwards.
        components: principal components that are kept, first of all; None keeps all numbers.

    Raises:
        UserError: if there are fewer numbers or samples than components.
    """
    rows = np.asarray(public, dtype=np.float64)
    centre = rows.mean(axis=0)
    rows = rows - centre
    if components is None:
        map_ = np.eye(rows.shape[1])
    else:
        if components > min(rows.shape):
            raise UserError(
                f"privacy.public_scale.components is {components}, but there are {len(rows)} "
                f"public samples of {rows.shape[1]} numbers; give at most {min(rows.shape)}"
            )
        map_ = np.linalg.svd(rows, full_matrices=False)[2][:components].T
    spread = (rows @ map_).std(axis=0)
    # What no public sample ever moves in says nothing of a scale.
    map_ = map_ / np.where(spread > 0, spread, 1.0)
    return PublicScale(centre, map_ * (norm / row_norms(rows @ map_).max()), norm)


def _outcome(
    job: Job, client_data: ClientFeatures, entrusted: Entrusted, ends: Sequence[dict[str, Any]]
) -> Outcome:
    common = {"privacy": [asdict(guarantee) for guarantee in entrusted.noise.records]}
    repetitions = [
        counts | {"seed": seed} | common | end
        for seed, (_, counts), end in zip(job.seeds, entrusted.uploads, ends, strict=True)
    ]
    where = entrusted.ledger, client_data.provenance
    return Outcome(repetitions, *where, measures=PRIVATE_MEASURES, series=PRIVATE_SERIES)


def record_of(losses: np.ndarray, models: list[str], right: np.ndarray) -> dict[str, Any]:
    """Return what one seed's descent comes to.

    Args:
        losses: (T + 1,) by step.
        models: (T + 1) likewise.
        right: (n,) which test samples are classified rightly after the last step.
    """
    finite = np.isfinite(losses)
    diverged = not bool(finite.all())
    return {
        "training_loss": None if diverged else float(losses[-1]),
        "test_accuracy": 0.0 if diverged else float(right.mean()),
        RIGHT: packed(right & (not diverged)),
        "diverged": diverged,
        "models": models,
        "series": {
            "loss": [float(v) if ok else None for v, ok in zip(losses, finite, strict=True)]
        },
    }
