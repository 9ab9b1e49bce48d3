"""FL (Sec. II-A): all layers from random initial values, trained by client gradients."""

from fbftl.exchange.repetition import run_rounds, whole_update
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, held_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network from scratch, one repetition per seed."""
    held = held_samples(job, inputs)
    return run_rounds(job, held, held.random, whole_update(), inputs.room.folder)
