"""A run of FedHealth, all its seeds."""

from fbftl.exchange.repetition import run_rounds
from fbftl.methods.fedhealth.transfer import fedhealth_run
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train and adapt, one repetition per seed."""
    client_data = client_samples(job, inputs)
    fedhealth, scratch = fedhealth_run(job, client_data), inputs.room.folder
    outcome = run_rounds(
        job, client_data, fedhealth.initial_learner, fedhealth.exchanged, scratch, fedhealth.train
    )
    return fedhealth.with_measures(outcome)
