"""Sizes that Secure FTL may have, for the rule that picks the smallest good ones.

Small is the number of dimensions, then the weight gamma, each after the fewest rounds by which its
curve is flat.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from fbftl.methods.secure_ftl.parties import run_pair
from fbftl.study.job import Job, from_params
from fbftl.tasks.task import ClientSamples
from fbftl.tasks.validated import validated
from fbftl.training.choice import Tried, flat_epochs

ROUNDS = 200
"""Longer than will be needed."""

GAMMAS = (0.0, 0.01, 0.1, 1.0)
DIMENSIONS = (2, 4, 8, 16, 32)
"""As many as Paillier may encrypt at most."""


def pairs(
    params: dict[str, Any], axes: dict[str, Any], client_data: ClientSamples
) -> Iterator[Tried]:
    """Yield numbers of dimensions and weights gamma, each after its rounds until flat."""
    for dimensions in DIMENSIONS:
        for gamma in GAMMAS:
            setting = params["setting"] | {
                "alignment_weight": gamma,
                "aligned_dimensions": dimensions,
            }
            training = params["training"] | {"rounds": ROUNDS}
            job = from_params(params | {"setting": setting, "training": training}, axes)
            accuracies = by_round(job, client_data)
            rounds = flat_epochs(accuracies)
            name = f"gamma {gamma:g}, {dimensions} dimensions"
            yield Tried(name, dimensions, rounds, accuracies[:, rounds - 1])


def by_round(job: Job, client_data: ClientSamples) -> np.ndarray:
    """Return validation accuracy (S, T) by seed and round."""
    runs = (
        run_pair(replace(job, seeds=(seed,)), validated(client_data, seed)) for seed in job.seeds
    )
    return np.array([run.repetitions[0]["series"]["test_accuracy"] for run in runs])


QUESTIONS = (pairs,)
"""What the rule answers, in turn."""
