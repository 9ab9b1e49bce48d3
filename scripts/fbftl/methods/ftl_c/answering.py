"""A client of a deployed FTL_c: it forms the update of its own samples, as a study's clients do."""

from typing import Any

import numpy as np
import torch

from fbftl.exchange.arrivals import ClientPlan, Request
from fbftl.exchange.served_rounds import decoded_model
from fbftl.exchange.uplink import compress_with_feedback, memory
from fbftl.ground.devices import prepare
from fbftl.messages.codec import Compression
from fbftl.messages.codec.compression import PLAIN
from fbftl.messages.encoded import encode_rows
from fbftl.training.batches import Round
from fbftl.training.local_updates import set_flat
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
