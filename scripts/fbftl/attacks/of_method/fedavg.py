"""What an adversary gets of the weights of FedAvg's clients."""

from functools import partial

from fbftl.attacks.attained import Attained
from fbftl.attacks.sent_models import Watching, membership_in_weights
from fbftl.methods.fedavg.run import initial_learner
from fbftl.study.job import Job
from fbftl.training.tasks.task import ClientSamples


def attacked(job: Job, client_data: ClientSamples) -> list[Attained]:
    """Attack the weights that clients send."""
    watching = Watching(partial(initial_learner, client_data))
    watching.run_first_seed(job, client_data)
    return membership_in_weights(watching, client_data)
