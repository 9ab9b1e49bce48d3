"""A run of FbFTL, all its seeds."""

from collections.abc import Sequence
from dataclasses import asdict

from fbftl.exchange.sending import SharedMessages
from fbftl.exchange.uploads import Sent, send
from fbftl.methods.by_name import of_kind
from fbftl.study.job import Job
from fbftl.training.tasks.task import ClientFeatures, Fit, Inputs, Outcome, offered_features


def run_together(jobs: Sequence[Job], inputs: Inputs) -> list[Outcome]:
    """Train one head per setting and seed, all in lockstep; each finds what it would find alone.

    Args:
        jobs: settings of one task with the same seeds and training values.
        inputs: the job's files.

    Raises:
        ValueError: if the settings cannot step together.
    """
    shapes = [
        (job.task, job.setting.cut, job.setting.noise_draw, job.seeds, job.training, job.block)
        for job in jobs
    ]
    if any(shape != shapes[0] for shape in shapes):
        raise ValueError("settings that differ in more than what is sent cannot step together")
    client_data, taking_part = offered_features(jobs, inputs)
    shared: SharedMessages = {}
    settings = [
        send(job, participants, client_data, shared)
        for job, participants in zip(jobs, taking_part, strict=True)
    ]
    train_on_received = of_kind(jobs[0])
    fits = train_on_received(client_data, [sent.received() for sent in settings])
    return [
        _outcome(client_data, sent, of_setting)
        for sent, of_setting in zip(settings, fits, strict=True)
    ]


def _outcome(client_data: ClientFeatures, sent: Sent, fits: Sequence[Fit]) -> Outcome:
    seeds = sent.how.job.seeds
    privacy = [asdict(guarantee) for guarantee in sent.how.records]
    repetitions = [
        fit.score.record | {"seed": seed, "seen": fit.seen, "privacy": privacy} | uploads.counts
        for seed, fit, uploads in zip(seeds, fits, sent.uploads, strict=True)
    ]
    transcript = client_data.transcript(
        {seed: fit.score.texts for seed, fit in zip(seeds, fits, strict=True)}
    )
    return Outcome(repetitions, sent.ledger, client_data.provenance, transcript=transcript)
