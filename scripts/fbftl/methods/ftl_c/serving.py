"""The server of a deployed FTL_c: it steps with the average of the updates that arrive.

A study of plain updates forms the gradient of all arriving samples in one pass, which is the same
sum added in another order; one of compressed updates adds up each client's, as is done here.
"""

from collections.abc import Iterator

from fbftl.exchange.arrivals import Exchange, Served, ServerPlan, protected_by_a_study
from fbftl.exchange.served_rounds import ServedRounds, features_at_server
from fbftl.exchange.uplink import as_gradient
from fbftl.study.job import Job
from fbftl.training.batches import Round
from fbftl.training.local_updates import flattened
from fbftl.training.network import head_network


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
