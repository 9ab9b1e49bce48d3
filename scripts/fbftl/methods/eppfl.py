"""EPPFL (paper eppfl): split training with selected, noisy activations, and masked averages."""

from fbftl.exchange.edge import train_with_edges
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, held_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the split network from scratch, one repetition per seed."""
    return train_with_edges(job, held_samples(job, inputs))
