"""How FedMD's clients may learn and digest, for the rule that picks the smallest good way.

Small is the number of steps, then the rate of the digest.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from torch import Tensor

from fbftl.exchange.personal import Cohort, gathered
from fbftl.messages.ledger import Ledger
from fbftl.methods.fedmd.consensus import batches_of, by_rounds, train_on_open_data
from fbftl.study.job import Job, from_params
from fbftl.tasks.open_data import open_samples
from fbftl.tasks.task import ClientSamples
from fbftl.tasks.validated import apart, validated
from fbftl.training.choice import STEP, Tried
from fbftl.training.personal_models import train_side_by_side

PASSES = 60
"""Over the open samples, longer than will be needed."""

BATCHES = (32, 128)

DIGESTS = (0.03, 0.1, 0.3, 1.0)
"""Rates of the digest over the study's."""


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
        yield Tried(f"digest at {rate:g}", rate, len(cohorts[0].curves.test), accuracies)


def cohorts_of(job: Job, client_data: ClientSamples) -> list[Cohort]:
    """Return the clients of every seed with the models that they begin with."""
    ledger = Ledger(method="fedmd")
    return [gathered(job, client_data, seed, ledger) for seed in job.seeds]


QUESTIONS = (lengths, digests)
"""What the rule answers, in turn."""
