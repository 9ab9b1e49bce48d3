"""A run of EPPFL, all its seeds."""

from fbftl.ground.errors import UserError
from fbftl.methods.eppfl.rounds import train_with_edges
from fbftl.privacy.mechanisms import PrivacyRecord, no_mechanism
from fbftl.study.job import Job
from fbftl.training.tasks.task import Inputs, Outcome, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the split network from scratch, one repetition per seed."""
    return train_with_edges(job, client_samples(job, inputs))


def guarantees(job: Job, clients: int) -> tuple[PrivacyRecord, ...]:
    """Return what a job with so many clients will guarantee: nothing, without noise.

    Raises:
        UserError: under mechanism laplace, for a job alone knows what it noises.
    """
    if job.setting.mechanism == "none":
        return (no_mechanism(),)
    raise UserError(
        f"config: tasks.{job.task}.privacy.budget holds against no setting of eppfl with mechanism "
        "laplace, for only its job knows how many activations it noises; leave the setting out of "
        "privacy.together"
    )
