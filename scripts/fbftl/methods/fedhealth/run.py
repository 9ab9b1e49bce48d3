"""A run of FedHealth, all its seeds."""

from fbftl.exchange.averaging import weights_or_updates
from fbftl.exchange.repetition import run_rounds
from fbftl.methods.fedhealth.transfer import FedHealthRun
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train and adapt, one repetition per seed."""
    client_data = client_samples(job, inputs)
    fedhealth, exchanged = FedHealthRun(job, client_data), weights_or_updates(job)
    outcome = run_rounds(
        job, client_data, fedhealth.initial_learner, exchanged, inputs.room.folder, fedhealth.train
    )
    return fedhealth.with_measures(outcome)
