"""A run of Secure FTL, all its seeds."""

from fbftl.methods.secure_ftl.parties import run_pair
from fbftl.study.job import Job
from fbftl.training.tasks.task import Inputs, Outcome, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train both parties, one repetition per seed."""
    return run_pair(job, client_samples(job, inputs))
