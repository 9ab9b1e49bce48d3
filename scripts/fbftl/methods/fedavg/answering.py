"""A client of a deployed FedAvg: it trains the network on its own images for its local epochs."""

import numpy as np
import torch

from fbftl.exchange.arrivals import Request
from fbftl.exchange.repetition import parameter_count
from fbftl.exchange.served_rounds import decoded_model
from fbftl.ground.errors import required
from fbftl.messages.codec import encode
from fbftl.methods.fedavg.federation import initial_learner
from fbftl.study.job import Job
from fbftl.tasks.images import ClientImageSamples
from fbftl.tasks.task import Repetition
from fbftl.training.batches import Round


def weights(
    job: Job,
    seed: int,
    client_data: ClientImageSamples,
    request: Request,
    position: int,
) -> list[bytes]:
    """Return a client's message of one round: its weights after its local epochs.

    Args:
        job: the setting with its training values.
        seed: of the repetition.
        client_data: the client's own images, those that it trains on.
        request: with the global weights and the round.
        position: of the client among those that take part, which its mini-batches follow from.
    """
    rows = np.arange(len(client_data.samples.labels))
    repetition = Repetition(job, seed, [rows], np.zeros(0, dtype=np.int64))
    learner = initial_learner(client_data, repetition)
    model = decoded_model(request.messages, parameter_count(learner))
    learner.set_weights(torch.from_numpy(model))
    trained = required(learner.train(beside_itself(rows, position, request, learner.plan.batch)))
    return [encode(trained.weights[0].cpu().numpy())]


def beside_itself(rows: np.ndarray, position: int, request: Request, batch: int | None) -> Round:
    """Return a round of one client and of a second one whose samples are some of the first's again.

    A study trains the clients of a round side by side, which rounds otherwise than one alone does.
    The second client has as many samples as the largest that takes as many steps.

    Args:
        rows: (n,) the client's samples.
        position: of the client among those that take part.
        request: with the round, and the samples of its largest client.
        batch: samples of a step; None for all that a client has.
    """
    largest = max(request.largest, len(rows))
    if batch is not None:
        largest = min(largest, -(-len(rows) // batch) * batch)
    both = np.stack([np.resize(rows, largest), np.resize(rows, largest)])
    present = np.ones(both.shape, dtype=bool)
    present[0, len(rows) :] = False
    return Round(request.round_or_sum - 1, np.full(2, position), both, present)
