"""Pick how FedMD's clients learn and digest, and Secure FTL's weight, dimensions and rounds.

By the rule that picks a head (`fbftl.training.choice`): the smallest within one standard error of
the best validation accuracy. Small is for FedMD the number of steps, then the rate of the digest;
for Secure FTL the number of dimensions, then the weight gamma, each after the fewest rounds by
which its curve is flat. Validation samples are a fifth of the open ones, and of those that the
clients hold. No test sample, no other framework and no claim is looked at.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from fbftl.exchange.personal import Cohort, gathered
from fbftl.findings.columns import SEEDS
from fbftl.findings.tables import Column, ResultTable
from fbftl.ground import devices
from fbftl.ground.logs import log
from fbftl.messages.ledger import Ledger
from fbftl.methods.fedmd.consensus import batches_of, by_rounds, train_on_open_data
from fbftl.methods.secure_ftl.parties import run_pair
from fbftl.study.job import Job, from_params
from fbftl.tasks.open_data import open_samples
from fbftl.tasks.task import ClientSamples, Inputs, client_samples
from fbftl.tasks.validated import apart, validated
from fbftl.training.choice import STEP, flat_epochs, least_within_error, standard_error
from fbftl.training.personal_models import train_side_by_side
from torch import Tensor

PASSES = 60
"""Over the open samples, longer than will be needed."""

BATCHES = (32, 128)

DIGESTS = (0.03, 0.1, 0.3, 1.0)
"""Rates of the digest over the study's."""

ROUNDS = 200
"""Of Secure FTL, longer than will be needed."""

GAMMAS = (0.0, 0.01, 0.1, 1.0)
DIMENSIONS = (2, 4, 8, 16, 32)
"""As many as Paillier may encrypt at most."""

COLUMNS = [
    Column("method", "Method"),
    Column("candidate", "Candidate"),
    Column("size", "Steps, rate or dimensions", format="{:g}"),
    Column("length", "Passes or rounds", format="{:.0f}"),
    Column("validation", "Validation accuracy", format="{:.2%}"),
    Column("error", "Standard error", format="{:.2%}"),
    SEEDS,
    Column("picked", "Picked"),
]


@dataclass(frozen=True)
class Tried:
    """A candidate and how it did.

    size: what the rule has small: steps, a rate, or dimensions.
    length: passes or rounds.
    accuracy: (S,) on validation samples, by seed.
    """

    name: str
    size: float
    length: int
    accuracy: np.ndarray

    @property
    def row(self) -> dict[str, Any]:
        """Return what the table tells of it."""
        return {
            "candidate": self.name,
            "size": self.size,
            "length": self.length,
            "validation": self.accuracy.mean(),
            "error": standard_error(self.accuracy),
            "seeds": len(self.accuracy),
        }


def main(
    files: Mapping[str, str], jobs: Sequence[dict[str, Any]], axes: dict[str, Any],
    seeds: int, device: str, threads: int,
) -> ResultTable:  # fmt: skip
    """Return what the rule finds.

    Args:
        files: paths of the methods' input files by name.
        jobs: the clean settings of FedMD and of Secure FTL.
        axes: the axes that each method knows, with their defaults.
        seeds: seeds of the rule.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    inputs = Inputs.at(files, devices.prepare(device, threads))
    rows = []
    for params in jobs:
        params = params | {"seeds": list(range(seeds))}
        client_data = client_samples(from_params(params, axes), inputs)
        method = params["setting"]["method"]
        for question in QUESTIONS[method]:
            tried = list(question(params, axes, client_data))
            sizes = [candidate.size for candidate in tried]
            picked = least_within_error(sizes, [candidate.accuracy for candidate in tried])
            rows += [
                {"method": method} | candidate.row | {"picked": "yes" if index == picked else ""}
                for index, candidate in enumerate(tried)
            ]
    for row in rows:
        if row["picked"]:
            log.info("%s: %s, %d", row["method"], row["candidate"], row["length"])
    return ResultTable(pd.DataFrame(rows), COLUMNS)


# --- FedMD ------------------------------------------------------------------------------------


def lengths(
    params: dict[str, Any], axes: dict[str, Any], client_data: ClientSamples
) -> Iterator[Tried]:
    """Yield ways of learning the open samples: batch and passes.

    Own samples get as many steps, since the paper trains on both to convergence.
    """
    samples = len(open_samples(client_data, params["setting"].get("public_data", "source")).labels)
    for batch in BATCHES:
        training = params["training"] | {"local_batch": batch}
        accuracies = by_pass(from_params(params | {"training": training}, axes), client_data)
        for passes in range(STEP, PASSES + 1, STEP):
            size = passes * batches_of(samples, batch)
            yield Tried(f"batches of {batch}", size, passes, accuracies[:, passes - 1])


def by_pass(job: Job, client_data: ClientSamples) -> np.ndarray:
    """Return the clients' mean accuracy (S, E) on open samples held out, by seed and pass."""
    public = open_samples(client_data, job.setting.public_data)
    models = [cohort.models for cohort in cohorts_of(job, client_data)]
    parts = [apart(len(public.labels), seed) for seed in job.seeds]
    both = list(zip(models, parts, strict=True))
    rows = [[training] * len(personal.weights) for personal, (training, _) in both]
    curves = []
    for round_number in range(1, PASSES + 1):
        train_side_by_side(models, public, rows, round_number, epochs=1)
        scores = [
            personal.accuracies([public.at(rest)] * len(personal.weights))
            for personal, (_, rest) in both
        ]
        curves.append([np.mean(seed_scores) for seed_scores in scores])
    return np.array(curves).T


def digests(
    params: dict[str, Any], axes: dict[str, Any], client_data: ClientSamples
) -> Iterator[Tried]:
    """Yield rates of the digest, each after all rounds, with the study's batch and passes.

    The validation samples are the same for all seeds, which deal the others out anew.
    """
    client_data = validated(client_data, 0)
    public = open_samples(client_data, params["setting"].get("public_data", "source"))
    initial: list[list[Tensor]] = []
    for rate in DIGESTS:
        job = from_params(params | {"setting": params["setting"] | {"digest_rate": rate}}, axes)
        cohorts = cohorts_of(job, client_data)
        if not initial:
            train_on_open_data(cohorts, public, {})
            initial = [list(cohort.models.weights) for cohort in cohorts]
        for cohort, weights in zip(cohorts, initial, strict=True):
            cohort.models.weights = list(weights)
        by_rounds(cohorts, public)
        accuracies = np.array([cohort.curves.test[-1] for cohort in cohorts])
        yield Tried(f"digest at {rate:g}", rate, job.training.rounds, accuracies)


def cohorts_of(job: Job, client_data: ClientSamples) -> list[Cohort]:
    """Return the clients of every seed with the models that they begin with."""
    ledger = Ledger(method="fedmd")
    return [gathered(job, client_data, seed, ledger) for seed in job.seeds]


# --- Secure FTL -------------------------------------------------------------------------------


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


QUESTIONS = {"fedmd": (lengths, digests), "secure_ftl": (pairs,)}
"""What the rule answers of each method, in turn."""
