"""A run of FbFTL, all its seeds."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import cast

from fbftl.exchange.sending import guarantees_of_features
from fbftl.exchange.uploads import Sent, SharedMessages, rows_read, send
from fbftl.methods.by_name import of_kind
from fbftl.methods.fbftl.undertraining import ridge_accuracies, say_if_far_behind
from fbftl.privacy.mechanisms import PrivacyRecord
from fbftl.study.job import Job
from fbftl.tasks.task import (
    ClientFeatures,
    Fit,
    Inputs,
    LabelledFeatures,
    Outcome,
    client_features,
    partition,
)


@dataclass(frozen=True)
class Fitted:
    """A run with what the server has afterwards, for those who attack it.

    fits: each seed's head.
    sent: what was uploaded, and how.
    outcome: what the run found.
    """

    fits: list[Fit]
    sent: Sent
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
    """Add to each seed's record what ridge regression on the same features comes to."""
    repetitions = fitted.outcome.repetitions
    solved = ridge_accuracies(client_data, fitted.sent)
    if solved is None:
        return
    say_if_far_behind(fitted.sent, [r["test_accuracy"] for r in repetitions], solved)
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
    _require_one_shape(jobs)
    shared: SharedMessages = {}
    settings = [send(job, client_data, shared) for job in jobs]
    fits = of_kind(jobs[0]).train_on_received(client_data, [sent.received() for sent in settings])
    return [
        Fitted(fits_of_setting, sent, _outcome(client_data, sent, fits_of_setting))
        for sent, fits_of_setting in zip(settings, fits, strict=True)
    ]


def _require_one_shape(jobs: Sequence[Job]) -> None:
    first = jobs[0]
    for job in jobs[1:]:
        same = (
            (job.task, job.setting.cut, job.setting.noise_draw)
            == (first.task, first.setting.cut, first.setting.noise_draw)
            and (job.seeds, job.training, job.block) == (first.seeds, first.training, first.block)
        )  # fmt: skip
        if not same:
            raise ValueError("settings that differ in more than what is sent cannot step together")


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


def guarantees(job: Job, clients: int) -> tuple[PrivacyRecord, ...]:
    """Return what a job with so many clients will guarantee."""
    return guarantees_of_features(job)
