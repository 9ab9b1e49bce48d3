"""The clients' side of FbFTL: every sample's message, sent once, and what the server then has.

Settings that train together share messages where these are the same, as on an axis of packet loss.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic

import numpy as np

from fbftl.data.participation import Participants, held_out
from fbftl.exchange.sending import Sending, SharedMessages, sending
from fbftl.messages.encoded import placed
from fbftl.messages.ledger import Ledger
from fbftl.messages.payload import PayloadT
from fbftl.study.job import Job
from fbftl.training.tasks.task import ClientFeatures, Received


@dataclass(frozen=True, eq=False)
class Uploads(Generic[PayloadT]):
    """One seed's uploads.

    participants: whose they are.
    training: rows of the task that the server has to train on.
    validation: rows that it holds out.
    read: what it reads of the samples that there is a message of; seeds and settings may share it.
    counts: what the messages come to, for the run file.
    """

    participants: Participants
    training: np.ndarray
    validation: np.ndarray
    read: PayloadT
    counts: dict[str, Any]


@dataclass(frozen=True)
class Sent(Generic[PayloadT]):
    """One setting's uploads.

    how: how they were sent.
    ledger: every message.
    rows: training samples of which there is a message, ascending.
    uploads: by seed.
    """

    how: Sending[PayloadT]
    ledger: Ledger
    rows: np.ndarray
    uploads: list[Uploads[PayloadT]]

    def received(self) -> list[Received[PayloadT]]:
        """Return what the server has to train each seed's head on."""
        redrawn = self.how.job.setting.noise_draw == "redrawn"
        return [
            received_of(
                self.how,
                uploads,
                self.rows,
                partial(self.how.redrawn, uploads.participants.seed) if redrawn else None,
            )
            for uploads in self.uploads
        ]


def received_of(
    how: Sending[PayloadT],
    uploads: Uploads[PayloadT],
    rows: np.ndarray,
    redrawn: Callable[[int], PayloadT] | None = None,
) -> Received[PayloadT]:
    """Return what a server has to train one seed's head on, whoever brought it the messages.

    Args:
        how: how they were sent.
        uploads: what arrived.
        rows: (n,) training samples of which there is a message, ascending.
        redrawn: see `Received`.
    """
    return Received(
        how.job,
        uploads.participants.seed,
        uploads.read,
        uploads.participants.client[rows],
        np.searchsorted(rows, uploads.training),
        np.searchsorted(rows, uploads.validation),
        how.scale,
        redrawn,
    )


def send(
    job: Job,
    taking_part: Sequence[Participants],
    client_data: ClientFeatures[PayloadT],
    shared: SharedMessages,
) -> Sent[PayloadT]:
    """Send a setting's uploads, after the frozen extractor went to all clients once.

    Samples that were not read send nothing; they are there because all have a draw of the link's
    losses.

    Args:
        job: the setting with its training values.
        taking_part: the clients of each seed.
        client_data: what they hold.
        shared: messages that settings share; added to.
    """
    payload, rows, every = client_data.payload, client_data.rows, len(client_data.partition.client)
    how = sending(job, payload, client_data.public)
    ledger = Ledger(method=job.setting.method, store=client_data.provenance["features"])
    sample, text = placed(payload.sample, rows, every), payload.text_bits
    token_id_bits = None if text is None else placed(text, rows, every)
    sent = []
    for participants in taking_part:
        post = how.post(ledger, participants.seed)
        post.deploy(client_data.frozen_floats)
        uploaded = how.uploaded(participants.seed, shared)
        receipt = post.up(
            {"features": payload.width},
            participants.client,
            sample=sample,
            content=uploaded.sent.placed(rows, every),
            offered=participants.offered,
            token_id_bits=token_id_bits,
        )
        received = participants.offered[receipt.arrives]
        # Under the public script's reshuffling every offered sample is seen sooner or later.
        seen = participants.offered if job.setting.loss == "reshuffled" else received
        split = held_out(seen, job.training.validation, participants.seed)
        clients, offered = len(np.unique(receipt.client)), len(participants.offered)
        counts: dict[str, Any] = {
            "clients": clients,
            "offered": offered,
            "received": len(received),
            "upload_batches": clients,
            "numbers_per_batch": payload.width * offered / clients,
            **post.totals(range(1)),
            **uploaded.sizes,
        }
        sent.append(Uploads(participants, *split, uploaded.read, counts))
    return Sent(how, ledger, rows, sent)
