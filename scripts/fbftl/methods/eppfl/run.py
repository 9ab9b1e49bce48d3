"""A run of EPPFL, all its seeds."""

from fbftl.methods.eppfl.rounds import train_with_edges
from fbftl.study.job import Job
from fbftl.training.tasks.task import Inputs, Outcome, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the split network from scratch, one repetition per seed."""
    return train_with_edges(job, client_samples(job, inputs))
