"""The server of a deployed FbFTL: it reads what arrives and trains the head of a study on it."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fbftl.data.participation import grouped, held_out, participating
from fbftl.exchange.arrivals import Exchange, Request, Served, ServerPlan, enter
from fbftl.exchange.sending import sending
from fbftl.exchange.served_rounds import features_at_server
from fbftl.exchange.uploads import received_of
from fbftl.ground.errors import UserError
from fbftl.messages.codec import CorruptMessage, decode
from fbftl.messages.ledger import Ledger
from fbftl.messages.payload import Vectors
from fbftl.methods.by_name import of_kind
from fbftl.study.job import Job


def obstacles(job: Job) -> Iterator[str]:
    """Yield why a setting cannot be deployed."""
    if job.setting.loss != "persistent":
        yield "its loss is the public script's mask over batches, which no link has"
    if job.setting.noise_draw != "once":
        yield "it draws the noise of an upload again in every epoch, and an upload is sent once"
    if job.setting.mechanism == "relative":
        yield "relative noise is measured on the features of all clients, which none of them has"


def serve(plan: ServerPlan, exchange: Exchange) -> Served:
    """Ask for all uploads and train the head on those that arrive.

    Args:
        plan: who holds which row, and the files of the test split.
        exchange: with the clients.

    Raises:
        UserError: if nothing arrives.
    """
    job, seed = plan.setting.job, plan.setting.seed
    server = features_at_server(plan)
    client = server.partition.client
    offered = participating(client, job.setting.fraction, seed)
    owners, rows = grouped(offered, client)
    rows_of = dict(zip(owners.tolist(), rows, strict=True))

    def reading(sender: int, messages: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
        if len(messages) != len(rows_of[sender]):
            raise CorruptMessage(f"it has {len(messages)} uploads, not {len(rows_of[sender])}")
        return decoded_uploads(messages, server.width, server.classes)

    arrived = exchange.request(Request(owners.tolist()), reading)
    if not arrived:
        raise UserError("no upload arrived, so that there is nothing to train on; see the log")
    values = np.zeros((len(client), server.width), dtype=np.float32)
    labels = np.zeros(len(client), dtype=np.int64)
    messages: list[bytes | None] = [None] * len(client)
    for one, answer in arrived.items():
        values[rows_of[one]], labels[rows_of[one]] = answer.content
        for row, message in zip(rows_of[one].tolist(), answer.messages, strict=True):
            messages[row] = message
    ledger = Ledger(method=job.setting.method, store=server.provenance["features"])
    everything = Vectors(values, labels, np.arange(len(client)), server.classes)
    how = sending(job, everything, server.public)
    post = how.post(ledger, seed)
    post.deploy(server.frozen_floats)
    receipt = enter(post, {"features": server.width}, client, messages)
    received = np.sort(np.concatenate([rows_of[one] for one in arrived]))[receipt.arrives]
    read = Vectors(values[received], labels[received], received, server.classes)
    split = held_out(received, job.training.validation, seed)
    trained_on = received_of(how, seed, received, read, split)
    ((fit,),) = of_kind(job)(replace(server, payload=read, rows=received), [[trained_on]])
    return Served.of(fit.score.record, ledger)


def decoded_uploads(
    messages: list[bytes], width: int, classes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return features (n, width) float32 and labels (n,) of uploads that came.

    Raises:
        CorruptMessage: if one of them is damaged, or of another width or number of classes.
    """
    decoded = [decode(message, max_values=width) for message in messages]
    for upload in decoded:
        if upload.values.shape != (1, width) or upload.labels is None:
            raise CorruptMessage(f"an upload is not one vector of {width} numbers with its label")
        if upload.labels[0] >= classes:
            raise CorruptMessage(f"an upload has label {upload.labels[0]} of {classes} classes")
    return (
        np.vstack([upload.values for upload in decoded]),
        np.concatenate([upload.labels for upload in decoded if upload.labels is not None]),
    )
