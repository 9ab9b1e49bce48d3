"""FedAvg (McMahan et al. 2017): all layers from random initial values, by clients' local epochs.

A survey's simulation of it (paper survey, Sec. 3.1) has clients draw their samples anew in every
round, and begins as if each had a network of its own.
"""

from functools import partial

from fbftl.exchange.averaging import by_weights, weights_or_updates
from fbftl.exchange.federation import begun, told
from fbftl.exchange.repetition import run_rounds
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, held_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network from scratch, one repetition per seed."""
    held = held_samples(job, inputs)
    exchanged, scratch = weights_or_updates(job), inputs.room.folder
    begin = partial(begun, held)
    return told(run_rounds(job, held, begin, exchanged, scratch, by_weights()))
