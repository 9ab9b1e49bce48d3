"""FbFTL (Algorithm 1): clients upload features and labels once; the server trains the head.

Settings of one shape can train together, their heads stacked like those of the seeds: one process
starts where several would, and a GPU that one head leaves idle has work.

Clients may upload less than their features, and the server may solve a head in closed form instead
of training one: those settings are `exchange/one_shot.py`.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from fbftl.exchange.one_shot import run_one_shot
from fbftl.exchange.uploads import Clean, Sent, rows_read, send
from fbftl.study.job import Job
from fbftl.tasks.task import Fit, HeldFeatures, Inputs, Outcome, held_features, holdings


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


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train one head per seed on the uploads that this setting lets the server have."""
    (outcome,) = run_together([job], inputs)
    return outcome


def run_together(jobs: Sequence[Job], inputs: Inputs) -> list[Outcome]:
    """Train settings of one shape in one process; each finds what it would find alone.

    One-shot settings have nothing to step together, and read what the clients hold once.
    """
    if all("one_shot" in job.block for job in jobs):
        held = held_features(jobs[0], inputs)
        return [run_one_shot(job, held) for job in jobs]
    needed = rows_read(jobs, holdings(jobs[0], inputs))
    held = held_features(jobs[0], inputs, needed)
    return [fitted.outcome for fitted in fit(jobs, held)]


def fit(jobs: Sequence[Job], held: HeldFeatures) -> list[Fitted]:
    """Train one head per setting and seed, all in lockstep; what each finds is its own.

    Args:
        jobs: settings of one task with the same seeds and training values.
        held: what the clients hold, at least the samples that a setting sends.

    Raises:
        ValueError: if the settings cannot step together.
    """
    _require_one_shape(jobs)
    clean: Clean = {}
    settings = [send(job, held, clean) for job in jobs]
    fits = held.fit([sent.received() for sent in settings])
    return [
        Fitted(own, sent, _outcome(held, sent, own))
        for sent, own in zip(settings, fits, strict=True)
    ]


def _require_one_shape(jobs: Sequence[Job]) -> None:
    first = jobs[0]
    for job in jobs[1:]:
        same = (
            (job.task, job.setting.cut, job.setting.noise)
            == (first.task, first.setting.cut, first.setting.noise)
            and (job.seeds, job.training, job.block) == (first.seeds, first.training, first.block)
        )  # fmt: skip
        if not same:
            raise ValueError("settings that differ in more than what is sent cannot step together")


def _outcome(held: HeldFeatures, sent: Sent, fits: Sequence[Fit]) -> Outcome:
    seeds, records = sent.how.job.seeds, sent.how.records
    privacy = [asdict(guarantee) for guarantee in records]
    repetitions = [
        own.score.record | {"seed": seed, "seen": own.seen, "privacy": privacy} | counts
        for seed, own, counts in zip(seeds, fits, sent.counts, strict=True)
    ]
    said = {seed: own.score.said for seed, own in zip(seeds, fits, strict=True)}
    return Outcome(repetitions, sent.ledger, held.provenance, transcript=held.transcript(said))
