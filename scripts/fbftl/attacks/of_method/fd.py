"""What an adversary gets of the mean logits and the seed samples of FD's clients."""

from fbftl.attacks import sent_models
from fbftl.attacks.attained import Attained
from fbftl.exchange.personal import gathered
from fbftl.messages.ledger import Ledger
from fbftl.methods.fd import train
from fbftl.study.job import Job
from fbftl.training.tasks.images_samples import open_samples
from fbftl.training.tasks.task import ClientSamples


def attacked(job: Job, client_data: ClientSamples) -> list[Attained]:
    """Attack what clients send: seed samples before anything else, if there are any."""
    cohort = gathered(job, client_data, job.seeds[0], Ledger(method="fd"))
    if job.setting.seed_samples:
        return [sent_models.seeds_of_generator(cohort, job.setting.seed_samples)]
    train(cohort)
    return [
        sent_models.labels_of_mean_logits(cohort),
        sent_models.membership_in_mean_logits(cohort),
        sent_models.images_of_mean_logits(cohort, open_samples(client_data, "target")),
    ]
