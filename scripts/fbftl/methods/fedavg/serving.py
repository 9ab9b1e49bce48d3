"""The server of a deployed FedAvg: it averages the weights that arrive, as a study does."""

from collections.abc import Iterator

import torch

from fbftl.exchange.arrivals import Exchange, Served, ServerPlan, protected_by_a_study
from fbftl.exchange.averaging import by_samples
from fbftl.exchange.served_rounds import ServedRounds
from fbftl.ground.devices import prepare
from fbftl.methods.fedavg.run import initial_learner
from fbftl.study.job import Job
from fbftl.training.batches import Round
from fbftl.training.tasks.task import Inputs, client_samples


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
