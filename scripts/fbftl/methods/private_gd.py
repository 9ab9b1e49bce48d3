"""Private gradient descent (paper thesis, ch. 2): a trusted server's noisy full-batch steps.

It trains a head on cached features, or on the pixels themselves where the task cuts at `input`.
Inputs are scaled by public statistics. With a linear head no gradient then exceeds the clip norm:
the problem is convex and its Lipschitz bound holds. Nothing is held out, and the last step counts.
"""

from dataclasses import asdict

import numpy as np

from fbftl.exchange.trusted import noise_of, sent
from fbftl.messages.ledger import Ledger
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, held_features
from fbftl.training.private_descent import PRIVATE_MEASURES, PRIVATE_SERIES


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train one head per seed, all stacked."""
    held, noise = held_features(job, inputs), noise_of(job)
    ledger = Ledger(method=job.setting.method, store=held.provenance["features"])
    uploads = [sent(job, held, ledger, seed, noise.records[0]) for seed in job.seeds]
    multipliers = np.repeat(noise.multipliers[:, None], len(job.seeds), axis=1)
    fits = held.private(job, job.seeds, [rows for rows, _ in uploads], multipliers)
    privacy = [asdict(guarantee) for guarantee in noise.records]
    repetitions = [
        counts
        | {"seed": seed, "steps_taken": len(noise.multipliers), "privacy": privacy}
        | {"models": models}
        | found(losses, accuracy)
        for seed, (_, counts), losses, models, accuracy in zip(
            *(job.seeds, uploads, fits.losses.T, fits.models.T.tolist(), fits.accuracies()),
            strict=True,
        )
    ]
    return Outcome(
        repetitions, ledger, held.provenance, measures=PRIVATE_MEASURES, series=PRIVATE_SERIES
    )


def found(losses: np.ndarray, accuracy: float) -> dict[str, object]:
    """Return what one seed's descent comes to, its losses (T + 1,) before and after each step."""
    finite = np.isfinite(losses)
    diverged = not bool(finite.all())
    return {
        "training_loss": None if diverged else float(losses[-1]),
        "test_accuracy": 0.0 if diverged else accuracy,
        "diverged": diverged,
        "curves": {
            "loss": [float(v) if ok else None for v, ok in zip(losses, finite, strict=True)]
        },
    }
