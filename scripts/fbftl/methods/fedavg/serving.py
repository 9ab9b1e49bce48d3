"""The server of a deployed FedAvg: it averages the weights that arrive, as a study does."""

from collections.abc import Iterator

import torch

from fbftl.exchange.arrivals import NOISE_OF_A_STUDY, Exchange, Served
from fbftl.exchange.averaging import by_samples
from fbftl.exchange.served_rounds import ServedRounds
from fbftl.methods.fedavg.federation import initial_learner
from fbftl.study.job import Job
from fbftl.tasks.images import ClientImageSamples
from fbftl.training.batches import Round


def obstacles(job: Job) -> Iterator[str]:
    """Yield why a setting cannot be deployed."""
    setting = job.setting
    if setting.mechanism != "none":
        yield NOISE_OF_A_STUDY
    if (setting.bits, setting.keep) != (32, 1):
        yield "its updates are compressed, and plain weights are what is deployed"
    if setting.aggregation != "open":
        yield "its weights are summed under masks, and sums of one message are what is deployed"
    if setting.resampled_per_round is not None:
        yield "its clients draw samples of each other's, which no client of a deployment has"


def serve(job: Job, seed: int, server: ClientImageSamples, exchange: Exchange) -> Served:
    """Train the whole network by rounds of clients.

    Args:
        job: the setting with its training values.
        seed: of the repetition.
        server: the test split, and who holds which row; the rows themselves are the clients'.
        exchange: with the clients.
    """
    rounds = ServedRounds(job, seed, server, exchange, "weights")
    learner = initial_learner(server, rounds.repetition)

    def step(round_: Round) -> None:
        receipt = rounds.exchanged(round_, learner.weights())
        if receipt.arrives.any():
            arrived = torch.from_numpy(receipt.arrived).to(learner.weights())
            learner.set_weights(by_samples(arrived, round_.counts[receipt.arrives]))

    return rounds.run(learner, step)
