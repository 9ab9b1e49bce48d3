"""A run of federated distillation, all its seeds."""

from fbftl.exchange.personal import run_personal
from fbftl.methods.fd.distillation import train
from fbftl.study.job import Job
from fbftl.training.tasks.task import Inputs, Outcome, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train each client's network with the others for its teachers, one repetition per seed."""
    return run_personal(job, client_samples(job, inputs), lambda cohorts: list(map(train, cohorts)))
