"""Rounds of clients that train a network as wide as each of them can."""

from functools import partial

from fbftl.exchange.averaging import by_weights, pieces_held
from fbftl.exchange.repetition import run_rounds
from fbftl.study.job import Job
from fbftl.training.shared_network import shared_network
from fbftl.training.tasks.task import Inputs, Outcome, client_samples


def run_widths(job: Job, inputs: Inputs, layout: str) -> Outcome:
    """Train a network, or its bases, from scratch, one repetition per seed.

    Args:
        job: the setting with its training values.
        inputs: the task's files.
        layout: how the widths share weights: bases, slices or slimmable slices.
    """
    client_data = client_samples(job, inputs)
    learner_of = partial(shared_network, client_data, layout=layout)
    return run_rounds(job, client_data, learner_of, pieces_held, train=by_weights())
