"""The clients' side of FbFTL: every sample's message, sent once, and what the server then has.

Settings that train together share messages where these are the same, as on an axis of packet loss.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic

import numpy as np

from fbftl.data.participation import Partition, Uploads, clients_of, held_out, participating
from fbftl.exchange.sending import Sending, SharedMessages, sending
from fbftl.messages.encoded import Encoded
from fbftl.messages.ledger import Ledger
from fbftl.messages.payload import PayloadT
from fbftl.study.job import Job
from fbftl.training.tasks.task import ClientFeatures, Received, measured


@dataclass(frozen=True)
class Sent(Generic[PayloadT]):
    """One setting's uploads.

    how: how they were sent.
    ledger: every message.
    rows: training samples of which there is a message, ascending.
    read: what the server reads of these for each seed; seeds and settings may share it.
    uploads: who took part and what arrived, for each seed.
    counts: what each seed's messages come to, for the run file.
    """

    how: Sending[PayloadT]
    ledger: Ledger
    rows: np.ndarray
    read: list[PayloadT]
    uploads: list[Uploads]
    counts: list[dict[str, Any]]

    def received(self) -> list[Received[PayloadT]]:
        """Return what the server has to train each seed's head on."""
        how = self.how
        redrawn = how.job.setting.noise_draw == "redrawn"
        return [
            received_of(
                how, seed, self.rows, read, split, partial(how.redrawn, seed) if redrawn else None
            )
            for seed, read, split in zip(how.job.seeds, self.read, self.split(), strict=True)
        ]

    def split(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return each seed's rows for training and for validation.

        Under the public script's reshuffling every offered sample is seen sooner or later.
        """
        job = self.how.job
        reshuffled = job.setting.loss == "reshuffled"
        return [
            held_out(
                uploads.offered if reshuffled else uploads.received, job.training.validation, seed
            )
            for uploads, seed in zip(self.uploads, job.seeds, strict=True)
        ]


def received_of(
    how: Sending[PayloadT],
    seed: int,
    rows: np.ndarray,
    read: PayloadT,
    split: tuple[np.ndarray, np.ndarray],
    redrawn: Callable[[int], PayloadT] | None = None,
) -> Received[PayloadT]:
    """Return what a server has to train one seed's head on, whoever brought it the messages.

    Args:
        how: how they were sent.
        seed: the repetition's seed.
        rows: (n,) training samples of which there is a message, ascending.
        read: what the server reads of these.
        split: rows for training and for validation.
        redrawn: see `Received`.
    """
    training, validation = (np.searchsorted(rows, part) for part in split)
    return Received(how.job, seed, read, training, validation, how.scale, redrawn)


def rows_read(jobs: Sequence[Job], partition: Partition) -> np.ndarray | None:
    """Return the training samples that any seed of some settings sends, or that are measured.

    None stands for all: the relative mechanism's noise is measured on the whole set, and which
    blocks are lost hangs on the length of all messages.

    Args:
        jobs: settings of one task.
        partition: who holds which sample.
    """
    settings = [job.setting for job in jobs]
    if any(setting.mechanism == "relative" or setting.blr > 0 for setting in settings):
        return None
    sent = [
        participating(clients_of(job, partition, seed), job.setting.fraction, seed)
        for job in jobs
        for seed in job.seeds
    ]
    return np.unique(np.concatenate([*sent, measured(jobs[0], len(partition.client))]))


def send(job: Job, client_data: ClientFeatures[PayloadT], shared: SharedMessages) -> Sent[PayloadT]:
    """Send a setting's uploads, after the frozen extractor went to all clients once.

    Args:
        job: the setting with its training values.
        client_data: what the clients hold.
        shared: messages that settings share; added to.
    """
    how = sending(job, client_data.payload, client_data.public)
    ledger = Ledger(method=job.setting.method, store=client_data.provenance["features"])
    sent = Sent(how, ledger, client_data.rows, [], [], [])
    for seed in job.seeds:
        _send(client_data, sent, seed, shared)
    return sent


def _send(
    client_data: ClientFeatures[PayloadT], sent: Sent[PayloadT], seed: int, shared: SharedMessages
) -> None:
    """Send one seed's uploads, and add what became of them."""
    how, payload = sent.how, client_data.payload
    client = clients_of(how.job, client_data.partition, seed)
    offered = participating(client, how.job.setting.fraction, seed)
    post = how.post(sent.ledger, seed)
    post.deploy(client_data.frozen_floats)
    uploaded, text = how.uploaded(seed, shared), payload.text_bits
    receipt = post.up(
        {"features": payload.width},
        client,
        sample=_among_all(payload.sample, client_data),
        content=Encoded(
            _among_all(uploaded.sent.bits, client_data),
            _among_all(np.array(uploaded.sent.digests, dtype=object), client_data).tolist(),
        ),
        offered=offered,
        token_id_bits=None if text is None else _among_all(text, client_data),
    )
    uploads = Uploads(offered, receipt.client, receipt.arrives)
    clients = len(np.unique(uploads.client))
    counts = {
        "clients": clients,
        "offered": len(offered),
        "received": len(uploads.received),
        "upload_batches": clients,
        "numbers_per_batch": payload.width * len(offered) / clients,
    }
    sent.read.append(uploaded.read)
    sent.uploads.append(uploads)
    sent.counts.append(counts | post.totals(range(1)) | uploaded.sizes)


def _among_all(values: np.ndarray, client_data: ClientFeatures) -> np.ndarray:
    """Return values of the samples that were read at their places among all.

    The others send nothing; they are there because all have a draw of the link's losses.
    """
    if len(client_data.rows) == len(client_data.partition.client):
        return values
    spread = np.zeros(len(client_data.partition.client), dtype=values.dtype)
    spread[client_data.rows] = values
    return spread
