"""FedAvg (McMahan et al. 2017): all layers from random initial values, by clients' local epochs."""

from fbftl.exchange.averaging import by_weights, weights_or_updates
from fbftl.exchange.repetition import run_rounds
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, held_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network from scratch, one repetition per seed."""
    held = held_samples(job, inputs)
    return run_rounds(job, held, held.local, weights_or_updates(job), inputs.scratch, by_weights())
