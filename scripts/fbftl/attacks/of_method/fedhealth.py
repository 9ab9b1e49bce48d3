"""What an adversary gets of the weights of FedHealth's clients, who begin with the cloud's."""

from fbftl.attacks.attained import Attained
from fbftl.attacks.sent_models import Watching, membership_in_weights
from fbftl.methods.fedhealth import FedHealthRun
from fbftl.study.job import Job
from fbftl.training.tasks.task import ClientSamples


def attacked(job: Job, client_data: ClientSamples) -> list[Attained]:
    """Attack the weights that clients send."""
    watching = Watching(FedHealthRun(job, client_data).initial_learner)
    watching.run_first_seed(job, client_data)
    return membership_in_weights(watching, client_data)
