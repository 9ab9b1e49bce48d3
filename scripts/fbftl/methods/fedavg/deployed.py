"""FedAvg deployed: a client trains on its own images, the server averages weights that arrive."""

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
from fbftl.exchange.averaging import by_samples
from fbftl.exchange.repetition import parameter_count
from fbftl.exchange.served_rounds import ServedRounds, decoded_model
from fbftl.ground.devices import prepare
from fbftl.ground.errors import required
from fbftl.messages.codec import encode
from fbftl.methods.fedavg.run import initial_learner
from fbftl.study.job import Job
from fbftl.training.batches import Round
from fbftl.training.tasks.task import Inputs, Repetition, client_samples


def answer(plan: ClientPlan, request: Request, remembered: dict[str, Any]) -> list[bytes]:
    """Return a client's message of one round: its weights after its local epochs.

    Args:
        plan: with the rows that it trains on, and its place among the clients that take part,
            which its mini-batches follow from.
        request: with the global weights and the round.
        remembered: nothing; all that a client starts from comes with the request.
    """
    job, rows = plan.setting.job, np.array(plan.rows)
    client_data = client_samples(job, Inputs.at(plan.files, prepare("cpu", 1)))
    repetition = Repetition(job, plan.setting.seed, [rows], np.zeros(0, dtype=np.int64))
    learner = initial_learner(client_data, repetition)
    model = decoded_model(request.messages, parameter_count(learner))
    learner.set_weights(torch.from_numpy(model))
    # A study trains the clients of a round side by side, and such kernels round floats otherwise
    # than those of one client alone: a second client pads the round, with samples of the first
    # again, as many as the largest client has that takes as many steps.
    largest, batch = max(request.largest, len(rows)), learner.plan.batch
    if batch is not None:
        largest = min(largest, -(-len(rows) // batch) * batch)
    both = np.stack([np.resize(rows, largest), np.resize(rows, largest)])
    present = np.ones(both.shape, dtype=bool)
    present[0, len(rows) :] = False
    padded = Round(request.round - 1, np.full(2, plan.position), both, present)
    trained = required(learner.train(padded))
    return [encode(trained.weights[0].cpu().numpy())]


def obstacles(job: Job) -> Iterator[str]:
    """Yield why a setting cannot be deployed."""
    setting = job.setting
    yield from protected_by_a_study(job)
    if (setting.bits, setting.keep) != (32, 1):
        yield "its updates are compressed, and plain weights are what is deployed"
    if setting.resampled_per_round is not None:
        yield "its clients draw samples of each other's, which no client of a deployment has"


def serve(plan: ServerPlan, exchange: Exchange) -> Served:
    """Train the whole network by rounds of clients.

    Args:
        plan: who holds which row, and the files of the test split.
        exchange: with the clients.
    """
    server = client_samples(plan.setting.job, Inputs.at(plan.files, prepare("cpu", 1)))
    rounds = ServedRounds(plan, server, exchange, "weights")
    learner = initial_learner(server, rounds.repetition)

    def step(round_: Round) -> None:
        arrived, counts = rounds.exchanged(round_, learner.weights())
        if len(arrived):
            weights = torch.from_numpy(arrived).to(learner.weights())
            learner.set_weights(by_samples(weights, counts))

    return rounds.run(learner, step)
