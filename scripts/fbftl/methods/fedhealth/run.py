"""A run of FedHealth, all its seeds."""

from fbftl.exchange.repetition import run_rounds
from fbftl.methods.fedhealth.transfer import health_of
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train and adapt, one repetition per seed."""
    client_data = client_samples(job, inputs)
    health, scratch = health_of(job, client_data), inputs.room.folder
    outcome = run_rounds(
        job, client_data, health.initial_learner, health.exchanged, scratch, health.train
    )
    return health.with_measures(outcome)
