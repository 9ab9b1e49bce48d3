"""A run of FbFTL, all its seeds.

With each head its accuracy is compared with that of ridge regression on the same features: a fixed
number of epochs that suits one backbone leaves a head on another far from what its features hold,
and ridge regression has no epochs. Its λ is chosen as the epoch is, on what is held out. Its
accuracy is in the run file, and a head that is far behind is named in the log.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import cast

import numpy as np

from fbftl.exchange.sending import SharedMessages
from fbftl.exchange.uploads import Sent, rows_read, send
from fbftl.ground.logs import log
from fbftl.messages.payload import Vectors
from fbftl.messages.statistics import Statistics
from fbftl.methods.by_name import of_kind
from fbftl.study.job import FAR_BEHIND, Job
from fbftl.training.closed_form import ridge
from fbftl.training.tasks.task import (
    ClientFeatures,
    Fit,
    Inputs,
    LabelledFeatures,
    Outcome,
    Received,
    client_features,
    partition,
)


@dataclass(frozen=True)
class Fitted:
    """A run with what the server has afterwards, for those who attack it.

    fits: each seed's head.
    sent: what was uploaded, and how.
    received: what of it each seed's head was trained on.
    outcome: what the run found.
    """

    fits: list[Fit]
    sent: Sent
    received: list[Received]
    outcome: Outcome


def run_together(jobs: Sequence[Job], inputs: Inputs) -> list[Outcome]:
    """Train settings of one shape in one process; each finds what it would find alone."""
    needed = rows_read(jobs, partition(jobs[0], inputs))
    client_data = client_features(jobs[0], inputs, needed)
    fitted = send_and_train(jobs, client_data)
    if jobs[0].kind == "images":
        for of_setting in fitted:
            _beside_ridge(cast(LabelledFeatures, client_data), of_setting)
    return [of_setting.outcome for of_setting in fitted]


def _beside_ridge(client_data: LabelledFeatures, fitted: Fitted) -> None:
    """Add to each seed's record what ridge regression on the same features comes to.

    A setting whose head is far behind it is named in the log.
    """
    repetitions = fitted.outcome.repetitions
    solved = ridge_accuracies(client_data, fitted.received)
    if solved is None:
        return
    reached = float(np.mean([repetition["test_accuracy"] for repetition in repetitions]))
    possible = float(np.mean(solved))
    if possible - reached > FAR_BEHIND:
        job = fitted.sent.how.job
        log.warning(
            "%s on %s is trained for too short: %.1f%%, and ridge regression on the same features "
            "has %.1f%%; raise training.epochs",
            job.setting.name, job.task, 100 * reached, 100 * possible,
        )  # fmt: skip
    for repetition, accuracy in zip(repetitions, solved, strict=True):
        repetition["ridge_accuracy"] = accuracy


def send_and_train(jobs: Sequence[Job], client_data: ClientFeatures) -> list[Fitted]:
    """Train one head per setting and seed, all in lockstep; what each finds is its own.

    Args:
        jobs: settings of one task with the same seeds and training values.
        client_data: what the clients hold, at least the samples that a setting sends.

    Raises:
        ValueError: if the settings cannot step together.
    """
    shapes = [
        (job.task, job.setting.cut, job.setting.noise_draw, job.seeds, job.training, job.block)
        for job in jobs
    ]
    if any(shape != shapes[0] for shape in shapes):
        raise ValueError("settings that differ in more than what is sent cannot step together")
    shared: SharedMessages = {}
    settings = [send(job, client_data, shared) for job in jobs]
    received = [sent.received() for sent in settings]
    train_on_received = of_kind(jobs[0])
    fits = train_on_received(client_data, received)
    return [
        Fitted(of_setting, sent, read, _outcome(client_data, sent, of_setting))
        for sent, read, of_setting in zip(settings, received, fits, strict=True)
    ]


def _outcome(client_data: ClientFeatures, sent: Sent, fits: Sequence[Fit]) -> Outcome:
    seeds, records = sent.how.job.seeds, sent.how.records
    privacy = [asdict(guarantee) for guarantee in records]
    repetitions = [
        each.score.record | {"seed": seed, "seen": each.seen, "privacy": privacy} | counts
        for seed, each, counts in zip(seeds, fits, sent.counts, strict=True)
    ]
    transcript = client_data.transcript(
        {seed: each.score.texts for seed, each in zip(seeds, fits, strict=True)}
    )
    return Outcome(repetitions, sent.ledger, client_data.provenance, transcript=transcript)


RATIOS = (0.01, 1e-6, 1e-5, 1e-4, 1e-3, 0.1, 1.0)
"""Candidates of λ over the mean eigenvalue; the first is taken where nothing is held out."""

WIDEST = 8192
"""Numbers of a feature above which no ridge regression is solved: it takes d² of memory."""


def ridge_accuracies(
    client_data: LabelledFeatures, every: Sequence[Received[Vectors]]
) -> list[float] | None:
    """Return the test accuracy of ridge regression on what the server received, by seed.

    None where features are too wide, or their squares are not finite.
    """
    if client_data.width > WIDEST:
        return None
    test = client_data.test.inputs.cpu().numpy(), client_data.test.labels.cpu().numpy()
    accuracies = []
    for received in every:
        read = received.payload
        training, held_out = (
            Statistics.of(read.values, read.labels, client_data.classes, rows)
            for rows in (received.training, received.validation)
        )
        if not np.isfinite(training.scatter).all():
            return None
        solved = ridge(training, RATIOS, held_out if len(received.validation) else None)
        accuracies.append(solved.head.accuracy(*test))
    return accuracies
