"""What an adversary gets of the votes and the weights of FedVote's clients."""

from functools import partial

from fbftl.attacks.attained import Attained
from fbftl.attacks.sent_models import Watching, membership_in_weights
from fbftl.attacks.votes import labels_of_votes
from fbftl.methods.fedvote.run import Voting
from fbftl.methods.fedvote.sources import source_models
from fbftl.study.job import Job
from fbftl.training.local_network import local_network
from fbftl.training.tasks.images_samples import open_samples
from fbftl.training.tasks.task import ClientSamples


def attacked(job: Job, client_data: ClientSamples) -> list[Attained]:
    """Attack votes by clients that are dealt open samples of the task's kind; weights."""
    watching = Watching(partial(local_network, client_data))
    related = job.setting.vote_candidates != "unrelated"
    voting = Voting(job, source_models(client_data, job, related))
    watching.run_first_seed(job, client_data, voting.ballot_of)
    return [
        labels_of_votes(job, client_data, open_samples(client_data, "target")),
        *membership_in_weights(watching, client_data),
    ]
