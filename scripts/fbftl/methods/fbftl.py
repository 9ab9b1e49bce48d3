"""FbFTL (Algorithm 1): clients upload features and labels once; the server trains the head."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import cycle
from pathlib import Path

import numpy as np
import torch

from fbftl import batches
from fbftl.cost.layers import parameters
from fbftl.cost.network_file import read_network
from fbftl.curves import record
from fbftl.heads import Head, stacked
from fbftl.job import Job
from fbftl.ledger import BROADCAST, Ledger
from fbftl.methods import Inputs, Outcome
from fbftl.methods.features import Sending, sending
from fbftl.regroup import clients_of
from fbftl.release import Release
from fbftl.store import open_store
from fbftl.training import Samples, train
from fbftl.uploads import Uploads, held_out, participating


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
    return fit(job, inputs).outcome


def fit(job: Job, inputs: Inputs) -> Fitted:
    """Train one head per seed; return the heads too."""
    store = open_store(inputs.manifest)
    features, test = store.read("train"), store.read("test")
    classes = int(max(features.labels.max(), test.labels.max())) + 1
    how = sending(job, features, classes, _public(inputs.public_manifest))
    ledger = Ledger(method="fbftl", store=store.digest)
    extractor = parameters(read_network(inputs.network).extractor)
    for seed in job.seeds:
        ledger.add_downlink(seed, np.zeros(1, dtype=int), extractor, BROADCAST)
    releases, uploads = upload(how, ledger)
    client = clients_of(job, features.client, features.labels)
    split = [
        held_out(usable(job, own), job.training.validation, seed)
        for own, seed in zip(uploads, job.seeds, strict=True)
    ]
    rows = [training for training, _ in split]
    seen = np.zeros((len(job.seeds), len(features)), dtype=bool)
    device = inputs.device
    head = stacked([store.width, *job.head, classes], job.seeds, device)
    curves = train(
        head,
        batches.observed(schedule(job, len(features), rows), seen),
        received(how, releases, device),
        [torch.from_numpy(held).to(device) for _, held in split],
        _on_device([test.values], [test.labels], device).scaled(how.scale),
        job.training,
    )
    # One release that all seeds share is measured once.
    measured = [how.measured(*own) for own in zip(releases, job.seeds, strict=False)]
    repetitions = [
        record(c, job.training.selection)
        | {"seed": seed, "clients": len(np.unique(client[own.offered]))}
        | {"offered": len(own.offered), "received": len(own.received)}
        | {"seen": int(mark.sum()), "privacy": [asdict(guarantee) for guarantee in how.records]}
        | sizes
        for c, seed, own, mark, sizes in zip(
            curves, job.seeds, uploads, seen, cycle(measured), strict=False
        )
    ]
    return Fitted(head, how, rows, Outcome(repetitions, ledger, {"features": store.digest}))


def upload(how: Sending, ledger: Ledger) -> tuple[list[Release], list[Uploads]]:
    """Send every repetition's uploads, once, and enter them in the ledger.

    Returns:
        The messages, one release per seed or a single one that all seeds share; and per seed
        who took part and what arrived.
    """
    job = how.job
    client = clients_of(job, how.features.client, how.features.labels)
    releases, uploads = [], []
    for seed in job.seeds:
        if not (releases and how.shared):
            releases.append(how.release(seed))
        delivery = how.deliver(releases[-1], seed)
        offered = participating(client, job.setting.fraction, seed)
        how.enter(ledger, seed, offered, releases[-1], delivery)
        uploads.append(Uploads(offered, delivery.arrives[offered]))
    return releases, uploads


def received(
    how: Sending, releases: Sequence[Release], device: torch.device
) -> Callable[[int], Samples]:
    """Return what the server works with at each epoch: the uploads, which never change.

    Under the public script's semantics the noise is drawn anew every epoch instead (audit A3).
    """
    job = how.job
    labels = [how.labels(seed) for seed in job.seeds[: len(releases)]]
    if job.setting.noise == "redrawn":

        def redrawn(epoch: int) -> Samples:
            values = [how.decoded(seed, draw=epoch) for seed in job.seeds]
            return _on_device(values, labels, device).scaled(how.scale)

        return redrawn
    uploads = _on_device([sent.values for sent in releases], labels, device).scaled(how.scale)
    return lambda epoch: uploads


def usable(job: Job, sent: Uploads) -> np.ndarray:
    """Return the rows that training may touch.

    Under the public script's reshuffling every offered sample is seen sooner or later.
    """
    return sent.offered if job.setting.loss == "reshuffled" else sent.received


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


def _public(manifest: Path | None) -> np.ndarray | None:
    return None if manifest is None else open_store(manifest).read("train").values


def _on_device(
    values: Sequence[np.ndarray], labels: Sequence[np.ndarray], device: torch.device
) -> Samples:
    """Put each seed's features and labels, or those that all seeds share, on the device."""
    return Samples(
        torch.stack([torch.from_numpy(own) for own in values]).to(device),
        torch.stack([torch.from_numpy(own.astype(np.int64)) for own in labels]).to(device),
    )
