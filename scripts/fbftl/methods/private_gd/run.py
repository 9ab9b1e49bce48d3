"""A run of private gradient descent, all its seeds."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import numpy as np

from fbftl.messages.ledger import Ledger
from fbftl.methods.private_gd.descent import PRIVATE_MEASURES, PRIVATE_SERIES
from fbftl.methods.private_gd.heads import Noise, noise_of, private_heads, sent
from fbftl.privacy.release import noise_seed
from fbftl.study.job import Job
from fbftl.training.curves import RIGHT, packed
from fbftl.training.tasks.task import ClientFeatures, Inputs, Outcome, labelled_features


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


@dataclass(frozen=True)
class Entrusted:
    """One setting's uploads and what the server adds to its steps.

    uploads: rows and counts by seed.
    """

    noise: Noise
    ledger: Ledger
    uploads: list[tuple[np.ndarray, dict[str, Any]]]


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
