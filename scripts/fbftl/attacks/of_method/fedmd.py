"""What an adversary gets of the scores of FedMD's clients."""

from fbftl.attacks import sent_models
from fbftl.attacks.attained import Attained
from fbftl.exchange.personal import gathered
from fbftl.messages.ledger import Ledger
from fbftl.methods import fedmd
from fbftl.study.job import Job
from fbftl.training.tasks.images_samples import open_samples
from fbftl.training.tasks.task import ClientSamples


def attacked(job: Job, client_data: ClientSamples) -> list[Attained]:
    """Attack the scores of open samples that clients send."""
    cohort = gathered(job, client_data, job.seeds[0], Ledger(method="fedmd"))
    fedmd.train_by_consensus([cohort], open_samples(client_data, job.setting.public_data))
    return [sent_models.membership_in_scores(cohort)]
