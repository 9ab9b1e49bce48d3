"""Private gradient descent (paper thesis, ch. 2): a trusted server's noisy full-batch steps.

It trains a head on cached features, or on the pixels themselves where the task cuts at `input`.
Inputs are scaled by public statistics. With a linear head no gradient then exceeds the clip norm:
the problem is convex and its Lipschitz bound holds. Nothing is held out, and the last step counts.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import numpy as np

from fbftl.exchange.trusted import Noise, noise_of, sent
from fbftl.messages.ledger import Ledger
from fbftl.study.job import Job
from fbftl.study.release import noise_seed
from fbftl.tasks.task import HeldFeatures, Inputs, Outcome, held_features
from fbftl.training.private_descent import PRIVATE_MEASURES, PRIVATE_SERIES


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train one head per seed, all stacked."""
    (outcome,) = run_together([job], inputs)
    return outcome


def run_together(jobs: Sequence[Job], inputs: Inputs) -> list[Outcome]:
    """Train settings in one process, all their heads stacked and in lockstep.

    Raises:
        ValueError: if they cannot step together.
    """
    if len({_shape(job) for job in jobs}) > 1:
        raise ValueError("settings that differ in more than rows and noise cannot step together")
    held = held_features(jobs[0], inputs)
    settings = [_entrusted(job, held) for job in jobs]
    seeds = [seed for job in jobs for seed in job.seeds]
    rows = [rows for own in settings for rows, _ in own.uploads]
    noise = [own.noise.multipliers for own in settings for _ in own.uploads]
    noised_by = [noise_seed(job, seed) for job in jobs for seed in job.seeds]
    fits = held.private(jobs[0], seeds, rows, np.stack(noise, axis=1), noised_by)
    ends = map(found, fits.losses.T, fits.models.T.tolist(), fits.accuracies())
    return [
        _outcome(job, held, own, list(islice(ends, len(job.seeds))))
        for job, own in zip(jobs, settings, strict=True)
    ]


def _shape(job: Job) -> str:
    """Return what settings that step together have in common, one with noise its clip norm too."""
    common = (job.task, job.training, job.privacy, job.block, job.setting.steps)
    return repr((*common, job.setting.momentum))


@dataclass(frozen=True)
class Entrusted:
    """One setting's uploads and what the server adds to its steps.

    uploads: rows and counts by seed.
    """

    noise: Noise
    ledger: Ledger
    uploads: list[tuple[np.ndarray, dict[str, Any]]]


def _entrusted(job: Job, held: HeldFeatures) -> Entrusted:
    noise = noise_of(job)
    ledger = Ledger(method=job.setting.method, store=held.provenance["features"])
    uploads = [sent(job, held, ledger, seed, noise.records[0]) for seed in job.seeds]
    return Entrusted(noise, ledger, uploads)


def _outcome(
    job: Job, held: HeldFeatures, own: Entrusted, ends: Sequence[dict[str, Any]]
) -> Outcome:
    told = {
        "steps_taken": len(own.noise.multipliers),
        "privacy": [asdict(guarantee) for guarantee in own.noise.records],
    }
    repetitions = [
        counts | {"seed": seed} | told | end
        for seed, (_, counts), end in zip(job.seeds, own.uploads, ends, strict=True)
    ]
    return Outcome(
        repetitions, own.ledger, held.provenance, measures=PRIVATE_MEASURES, series=PRIVATE_SERIES
    )


def found(losses: np.ndarray, models: list[str], accuracy: float) -> dict[str, Any]:
    """Return what one seed's descent comes to; its losses and models (T + 1) are by step."""
    finite = np.isfinite(losses)
    diverged = not bool(finite.all())
    return {
        "training_loss": None if diverged else float(losses[-1]),
        "test_accuracy": 0.0 if diverged else accuracy,
        "diverged": diverged,
        "models": models,
        "series": {
            "loss": [float(v) if ok else None for v, ok in zip(losses, finite, strict=True)]
        },
    }
