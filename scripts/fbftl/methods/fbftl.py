"""FbFTL (Algorithm 1): clients upload features and labels once; the server trains the head.

Settings of one shape can train together, their heads stacked like those of the seeds: one process
starts where several would, and a GPU that one head leaves idle has work.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import torch

from fbftl.cost.layers import parameters, read_network
from fbftl.exchange.sending import Sending, sending
from fbftl.exchange.uploads import Clean, Sent, on_device, received, send
from fbftl.features.store.opening import open_store
from fbftl.messages.ledger import Ledger
from fbftl.models.heads import Head, stacked
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome
from fbftl.training import batches
from fbftl.training.curves import Curves, record
from fbftl.training.stacked import Samples, train


@dataclass(frozen=True)
class Fitted:
    """A run with what the server has afterwards, for those who attack it.

    head: the heads of all seeds after the last epoch.
    how: how the features were sent.
    rows: each seed's rows that its head was trained on.
    outcome: what the run found.
    """

    head: Head
    how: Sending
    rows: list[np.ndarray]
    outcome: Outcome


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train one head per seed on the uploads that this setting lets the server have."""
    (fitted,) = fit([job], inputs)
    return fitted.outcome


def fit(jobs: Sequence[Job], inputs: Inputs) -> list[Fitted]:
    """Train one head per setting and seed, all in lockstep; what each finds is its own.

    Args:
        jobs: settings of one task with the same seeds and training values.
        inputs: the files of all of them.

    Raises:
        ValueError: if the settings cannot step together.
    """
    _require_one_shape(jobs)
    store = open_store(inputs.manifest)
    features, test = store.read("train"), store.read("test")
    classes = int(max(features.labels.max(), test.labels.max())) + 1
    public = None
    if inputs.public_manifest is not None:
        public = open_store(inputs.public_manifest).read("train").values
    extractor = parameters(read_network(inputs.network).extractor)
    clean: Clean = {}
    settings = []
    for job in jobs:
        how = sending(job, features, classes, public)
        ledger = Ledger(method="fbftl", store=store.digest)
        settings.append(send(how, ledger, extractor, clean))
    splits = [sent.split() for sent in settings]
    rows = [[training for training, _ in split] for split in splits]
    seeds, device = jobs[0].seeds, inputs.device
    seen = [np.zeros((len(seeds), len(features)), dtype=bool) for _ in jobs]
    schedules = [
        batches.observed(schedule(job, len(features), own), mark)
        for job, own, mark in zip(jobs, rows, seen, strict=True)
    ]
    heads = stacked([store.width, *jobs[0].head, classes], list(seeds) * len(jobs), device)
    curves = train(
        heads,
        batches.side_by_side(schedules),
        received(settings, device),
        [torch.from_numpy(held).to(device) for split in splits for _, held in split],
        _test_split(settings, test.values, test.labels, device),
        jobs[0].training,
    )
    fitted = []
    for number, sent in enumerate(settings):
        places = slice(number * len(seeds), (number + 1) * len(seeds))
        repetitions = _repetitions(sent, curves[places], seen[number])
        outcome = Outcome(repetitions, sent.ledger, {"features": store.digest})
        fitted.append(Fitted(heads.at(places), sent.how, rows[number], outcome))
    return fitted


def schedule(job: Job, samples: int, rows: list[np.ndarray]) -> Iterator[batches.Epoch]:
    """Return the server's mini-batches.

    The number of iterations is that of the complete data, whatever arrived: with fewer samples
    the paper trains for as many iterations (Sec. IV-D, I'U' of the order of IU).
    """
    training = job.training
    steps = -(-samples // training.batch)
    shape = (training.batch, steps, training.epochs, job.seeds)
    if job.setting.loss == "reshuffled":
        return batches.reshuffled(rows, job.setting.plr, *shape)
    return batches.shuffled(rows, *shape)


def _require_one_shape(jobs: Sequence[Job]) -> None:
    shapes = {
        (job.task, job.setting.cut, job.setting.noise, job.seeds, job.head, job.training)
        for job in jobs
    }
    if len(shapes) != 1:
        raise ValueError("settings that differ in more than what is sent cannot step together")


def _test_split(
    settings: Sequence[Sent], values: np.ndarray, labels: np.ndarray, device: torch.device
) -> Samples:
    """Return the test split for every head, scaled as its training samples are."""
    scales = list(dict.fromkeys(sent.how.scale for sent in settings))
    release = [scales.index(sent.how.scale) for sent in settings for _ in sent.decoded]
    count = len(scales)
    return on_device([values] * count, [labels] * count, scales, release, device)


def _repetitions(sent: Sent, curves: Sequence[Curves], seen: np.ndarray) -> list[dict]:
    """Return what a setting's seeds found, in builtin types."""
    how = sent.how
    own = zip(how.job.seeds, curves, sent.uploads, sent.decoded, seen, strict=True)
    return [
        record(curve, how.job.training.selection)
        | {"seed": seed, "clients": len(np.unique(uploads.client))}
        | {"offered": len(uploads.offered), "received": len(uploads.received)}
        | {"seen": int(mark.sum()), "privacy": [asdict(guarantee) for guarantee in how.records]}
        | decoded.sizes
        for seed, curve, uploads, decoded, mark in own
    ]
