"""FbFTL deployed: a client encodes uploads of its own samples, the server trains the head on them.

Noise on what leaves a machine for good must not be repeatable: unlike that of experiments
(`fbftl.privacy.noise`) it is drawn from the operating system's generator, without a seed.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from fbftl.data.participation import Participants, grouped, held_out, participating
from fbftl.exchange.arrivals import ClientPlan, Exchange, Request, Served, ServerPlan, enter
from fbftl.exchange.sending import Sending, sending
from fbftl.features.store.reader import open_store
from fbftl.ground.errors import UserError, required
from fbftl.messages.codec import CorruptMessage, decode
from fbftl.messages.encoded import encode_rows
from fbftl.messages.ledger import Ledger
from fbftl.messages.payload import Vectors
from fbftl.privacy.noise import add_gaussian, responses
from fbftl.study.job import Job


def answer(plan: ClientPlan, request: Request, remembered: dict[str, Any]) -> list[bytes]:
    """Return the messages of a client's samples, in their order.

    Noise is the study's where the run repeats one, and else of the system's generator.

    Args:
        plan: with the rows of the client's samples.
        request: for them.
        remembered: nothing; a client is asked once.
    """
    store = open_store(plan.files["manifest"]).read("train", np.array(plan.rows))
    setting = plan.setting
    payload = Vectors(store.values, store.labels.astype(np.int64), store.sample, setting.classes)
    public = None
    if manifest := plan.files.get("public_manifest"):
        public = open_store(manifest).read("train").values
    how = sending(setting.job, payload, public)
    released = how.released(setting.seed) if setting.repeat else _drawn(how)
    return encode_rows(released.values, how.compression, released.labels, released.classes).messages


def _drawn(how: Sending[Vectors]) -> Vectors:
    """Return the uploads under noise of the system's generator.

    Another call draws other noise, and is another release of the samples.
    """
    setting, payload = how.job.setting, how.payload
    if setting.mechanism == "gaussian":
        noise = system_noise(payload.values.shape)
        norm = required(how.clip_norm)
        noised = add_gaussian(payload.values[:], noise, sigma=how.sigma, clip_norm=norm)
        payload = replace(payload, values=noised)
    if setting.label_epsilon is not None:
        labels = system_responses(
            payload.labels, epsilon=setting.label_epsilon, classes=payload.classes
        )
        payload = replace(payload, labels=labels)
    return payload


def system_noise(shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return standard normal noise from `os.urandom`, by the inverse distribution function.

    Args:
        shape: of the noise.
    """
    return ndtri(system_uniforms(shape)).astype(np.float32)


def system_responses(labels: ArrayLike, *, epsilon: float, classes: int) -> NDArray[np.int64]:
    """Return labels (n,) of N classes under randomised response: see `privacy.noise.respond`.

    Raises:
        UserError: if epsilon is not positive.
    """
    labels = np.asarray(labels)
    return responses(labels, system_uniforms((len(labels), 2)), epsilon=epsilon, classes=classes)


def system_uniforms(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return numbers between 0 and 1 from `os.urandom`, neither of these two among them."""
    words = np.frombuffer(os.urandom(8 * prod(shape)), np.uint64)
    # 52 bits and a half: with one bit more the largest of them would be rounded to 1.
    return (((words >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52).reshape(shape)


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
    # Imported here: they import torch, which a client answers without.
    from fbftl.exchange.served_rounds import features_at_server
    from fbftl.exchange.uploads import Uploads, received_of
    from fbftl.training.stacked import train_on_received

    job, seed = plan.setting.job, plan.setting.seed
    server = features_at_server(plan)
    client = server.partition.client
    offered = participating(client, job.setting.fraction, seed)
    owners, rows = grouped(offered, client)
    rows_of = dict(zip(owners.tolist(), rows, strict=True))

    def reading(sender: int, messages: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
        if len(messages) != len(rows_of[sender]):
            raise CorruptMessage(f"it has {len(messages)} uploads, not {len(rows_of[sender])}")
        decoded = [decode(message, max_values=server.width) for message in messages]
        for upload in decoded:
            if upload.values.shape != (1, server.width) or upload.labels is None:
                raise CorruptMessage(
                    f"an upload is not one vector of {server.width} numbers with its label"
                )
            if upload.labels[0] >= server.classes:
                raise CorruptMessage(
                    f"an upload has label {upload.labels[0]} of {server.classes} classes"
                )
        return (
            np.vstack([upload.values for upload in decoded]),
            np.concatenate([required(upload.labels) for upload in decoded]),
        )

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
    uploads = Uploads(Participants(seed, client, offered), *split, read, {})
    client_data = replace(server, payload=read, rows=received)
    ((fit,),) = train_on_received(client_data, [[received_of(how, uploads, received)]])
    return Served.of(fit.score.record, ledger)
