"""The server of a deployed FTL_c: it steps with the average of the updates that arrive.

A study of plain updates forms the gradient of all arriving samples in one pass, which is the same
sum added in another order; one of compressed updates adds up each client's, as is done here.
"""

from collections.abc import Iterator

from fbftl.exchange.arrivals import NOISE_OF_A_STUDY, Exchange, Served
from fbftl.exchange.rounds import as_gradient
from fbftl.exchange.served_rounds import ServedRounds
from fbftl.exchange.uplink import mean_of_arrivals
from fbftl.methods.ftl_c.images import head
from fbftl.study.job import Job
from fbftl.tasks.images import ClientImageFeatures
from fbftl.training.batches import Round
from fbftl.training.local_updates import flattened


def obstacles(job: Job) -> Iterator[str]:
    """Yield why a setting cannot be deployed."""
    if job.setting.mechanism != "none":
        yield NOISE_OF_A_STUDY


def serve(job: Job, seed: int, server: ClientImageFeatures, exchange: Exchange) -> Served:
    """Train the head by rounds of clients.

    Args:
        job: the setting with its training values.
        seed: of the repetition.
        server: the test split, and who holds which row; the rows themselves are the clients'.
        exchange: with the clients.
    """
    rounds = ServedRounds(job, seed, server, exchange, "update")
    rounds.post.broadcast({"weights": server.frozen_floats})
    learner = head(server, rounds.repetition)

    def step(round_: Round) -> None:
        receipt = rounds.exchanged(round_, flattened(learner.parameters))
        learner.step(as_gradient(learner, mean_of_arrivals(round_, receipt)))

    return rounds.run(learner, step)
