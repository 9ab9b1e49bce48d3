"""FTL_c deployed: a client forms the update of its own samples, the server steps with the average.

A study of plain updates forms the gradient of all arriving samples in one pass, which is the same
sum added in another order; one of compressed updates adds up each client's, as is done here.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from fbftl.exchange.arrivals import (
    ClientPlan,
    Exchange,
    Request,
    Served,
    ServerPlan,
    protected_by_a_study,
)
from fbftl.exchange.served_rounds import ServedRounds, decoded_model, features_at_server
from fbftl.exchange.uplink import as_gradient, compress_with_feedback, memory
from fbftl.ground.devices import prepare
from fbftl.messages.codec import Compression
from fbftl.messages.codec.compression import PLAIN
from fbftl.messages.encoded import encode_rows
from fbftl.study.job import Job
from fbftl.training.batches import Round
from fbftl.training.local_updates import flattened, set_flat
from fbftl.training.network import head_network
from fbftl.training.tasks.images import client_features
from fbftl.training.tasks.task import Inputs, Repetition

REMEMBERED = "not sent"
"""Name of the bytes that a client keeps from round to round: what it has not sent so far."""


def answer(plan: ClientPlan, request: Request, remembered: dict[str, Any]) -> list[bytes]:
    """Return a client's message of one round.

    Args:
        plan: with the rows that it trains on.
        request: with the model and the round.
        remembered: bytes that stay with the client; changed in place.
    """
    job, rows = plan.setting.job, np.array(plan.rows)
    client_data = client_features(job, Inputs.at(plan.files, prepare("cpu", 1)), rows)
    repetition = Repetition(job, plan.setting.seed, [rows], np.zeros(0, dtype=np.int64))
    learner = head_network(client_data, repetition)
    count = sum(parameter.numel() for parameter in learner.parameters)
    model = decoded_model(request.messages, count)
    set_flat(learner.parameters, torch.from_numpy(model).to(client_data.inputs.device))
    nobody_else = np.zeros(1, dtype=np.int64)
    # As many rows as a study pads its clients to: sums of other lengths round otherwise.
    padded = np.full((1, max(request.largest, len(rows))), rows[0])
    padded[0, : len(rows)] = rows
    present = np.arange(padded.shape[1])[None] < len(rows)
    _, updates = learner.client_gradients(Round(request.round - 1, nobody_else, padded, present))
    values, compression = updates.cpu().numpy(), Compression(job.setting.bits, job.setting.keep)
    if compression == PLAIN or not job.setting.feedback:
        return encode_rows(values, compression).messages
    unsent = memory(1, count)
    if REMEMBERED in remembered:
        unsent[0] = np.frombuffer(remembered[REMEMBERED], dtype=np.float32)
    sent = compress_with_feedback(values, unsent, nobody_else, compression)
    remembered[REMEMBERED] = unsent.tobytes()
    return sent.messages


def obstacles(job: Job) -> Iterator[str]:
    """Yield why a setting cannot be deployed."""
    yield from protected_by_a_study(job)


def serve(plan: ServerPlan, exchange: Exchange) -> Served:
    """Train the head by rounds of clients.

    Args:
        plan: who holds which row, and the files of the test split.
        exchange: with the clients.
    """
    server = features_at_server(plan)
    rounds = ServedRounds(plan, server, exchange, "update")
    rounds.post.deploy(server.frozen_floats)
    learner = head_network(server, rounds.repetition)

    def step(round_: Round) -> None:
        updates, counts = rounds.exchanged(round_, flattened(learner.parameters))
        mean = updates.sum(axis=0) / max(int(counts.sum()), 1)
        learner.step(as_gradient(learner, mean))

    return rounds.run(learner, step)
