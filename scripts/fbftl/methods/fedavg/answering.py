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
    client_index: int,
) -> list[bytes]:
    """Return a client's message of one round: its weights after its local epochs.

    Args:
        job: the setting with its training values.
        seed: of the repetition.
        client_data: the client's own images, those that it trains on.
        request: with the global weights and the round.
        client_index: of the client among those that take part, which its mini-batches follow from.
    """
    rows = np.arange(len(client_data.samples.labels))
    repetition = Repetition(job, seed, [rows], np.zeros(0, dtype=np.int64))
    learner = initial_learner(client_data, repetition)
    model = decoded_model(request.messages, parameter_count(learner))
    learner.set_weights(torch.from_numpy(model))
    trained = required(
        learner.train(with_padding_client(rows, client_index, request, learner.plan.batch))
    )
    return [encode(trained.weights[0].cpu().numpy())]


def with_padding_client(
    rows: np.ndarray, client_index: int, request: Request, batch: int | None
) -> Round:
    """Return a round of a client and of a second one that pads it, with samples of the first again.

    A study trains the clients of a round side by side, and such kernels round floats otherwise than
    those of one client alone. The second has as many samples as the largest that takes as many
    steps.

    Args:
        rows: (n,) the client's samples.
        client_index: of the client among those that take part.
        request: with the round, and the samples of its largest client.
        batch: samples of a step; None for all that a client has.
    """
    largest = max(request.largest, len(rows))
    if batch is not None:
        largest = min(largest, -(-len(rows) // batch) * batch)
    both = np.stack([np.resize(rows, largest), np.resize(rows, largest)])
    present = np.ones(both.shape, dtype=bool)
    present[0, len(rows) :] = False
    return Round(request.round_or_sum - 1, np.full(2, client_index), both, present)
