"""FbFTL (Algorithm 1): clients upload features and labels once; the server trains the head."""

from collections.abc import Iterator

import numpy as np
import torch

from fbftl import batches
from fbftl.curves import record
from fbftl.heads import stacked
from fbftl.job import Job
from fbftl.ledger import FLOAT_BITS, Ledger
from fbftl.methods import Inputs, Outcome
from fbftl.randomness import stream
from fbftl.store import Features, open_store
from fbftl.training import Samples, train
from fbftl.uploads import Uploads, held_out, participating


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train one head per seed on the uploads that this setting lets the server have."""
    store = open_store(inputs.features)
    uploaded, test = store.read("train"), store.read("test")
    classes = int(max(uploaded.labels.max(), test.labels.max())) + 1
    sent = [send(job, uploaded.client, seed) for seed in job.seeds]
    split = [held_out(usable(job, own), job.training.validation, seed)
             for own, seed in zip(sent, job.seeds, strict=True)]  # fmt: skip
    device = inputs.device
    rows = [training for training, _ in split]
    seen = np.zeros((len(job.seeds), len(uploaded.labels)), dtype=bool)
    curves = train(
        stacked([uploaded.values.shape[1], *job.head, classes], job.seeds, device),
        batches.observed(schedule(job, len(uploaded.labels), rows), seen),
        _on_device(uploaded.values, uploaded.labels, device),
        [torch.from_numpy(rows).to(device) for _, rows in split],
        _on_device(test.values, test.labels, device),
        job.training,
    )
    repetitions = [
        record(c, job.training.selection)
        | {"seed": seed, "offered": len(own.offered), "received": len(own.received)}
        | {"seen": int(mark.sum())}
        for c, seed, own, mark in zip(curves, job.seeds, sent, seen, strict=True)
    ]
    ledger = Ledger(method="fbftl", store=store.digest)
    for seed, own in zip(job.seeds, sent, strict=True):
        enter(ledger, seed, own, uploaded, classes)
    return Outcome(repetitions, ledger, {"features": store.digest})


def send(job: Job, client: np.ndarray, seed: int) -> Uploads:
    """Draw one repetition's participating clients and the losses of their packets."""
    offered = participating(client, job.setting.fraction, seed)
    arrives = stream(seed, "loss").random(len(client)) >= job.setting.plr
    return Uploads(offered, arrives[offered])


def enter(ledger: Ledger, seed: int, sent: Uploads, uploaded: Features, classes: int) -> None:
    """Enter one repetition's uploads in the ledger: a message per sample."""
    width = uploaded.values.shape[1]
    ledger.add(
        len(sent.offered),
        seed=seed,
        direction="up",
        round=0,
        client=uploaded.client[sent.offered],
        sample=uploaded.sample[sent.offered],
        payload_bits=FLOAT_BITS * width,
        bits=FLOAT_BITS * width + (classes - 1).bit_length(),
        lost=~sent.arrives,
    )


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


def _on_device(values: np.ndarray, labels: np.ndarray, device: torch.device) -> Samples:
    """Put features and labels that all seeds share on the training device."""
    return Samples(
        torch.from_numpy(values).to(device)[None],
        torch.from_numpy(labels.astype(np.int64)).to(device)[None],
    )
