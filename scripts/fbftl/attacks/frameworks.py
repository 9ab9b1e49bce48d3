"""The attacks on what each of the survey's frameworks has its clients send."""

from collections.abc import Callable
from functools import partial

from fbftl.attacks import personal_models
from fbftl.attacks.attained import Attained
from fbftl.attacks.partner import labels_of_partner
from fbftl.attacks.sent_models import OF_AVERAGE, Watching, membership_in_weights
from fbftl.attacks.votes import labels_of_votes
from fbftl.exchange.personal import gathered
from fbftl.learners.local import local_network
from fbftl.messages.ledger import Ledger
from fbftl.methods.fd import distillation
from fbftl.methods.fedavg.federation import initial_learner
from fbftl.methods.fedhealth.transfer import fedhealth_run
from fbftl.methods.fedmd import consensus
from fbftl.methods.fedvote.sources import source_models
from fbftl.methods.fedvote.voting import Voting
from fbftl.study.job import Job
from fbftl.tasks.open_data import open_samples
from fbftl.tasks.task import ClientSamples


def on_weights(job: Job, client_data: ClientSamples) -> list[Attained]:
    """Attack the weights of FedAvg's clients, or of FedHealth's, who begin with the cloud's."""
    begin = partial(initial_learner, client_data)
    if job.setting.method == "fedhealth":
        begin = fedhealth_run(job, client_data).initial_learner
    watching = Watching(begin)
    watching.run_first_seed(job, client_data)
    return membership_in_weights(watching, client_data)


def on_votes(job: Job, client_data: ClientSamples) -> list[Attained]:
    """Attack FedVote's votes by clients that are dealt open samples of the task's kind; weights."""
    watching = Watching(partial(local_network, client_data))
    related = job.setting.vote_candidates != "unrelated"
    voting = Voting(job, source_models(client_data, job, related))
    watching.run_first_seed(job, client_data, voting.ballot_of)
    return [
        labels_of_votes(job, client_data, open_samples(client_data, "target")),
        *membership_in_weights(watching, client_data),
    ]


def on_scores(job: Job, client_data: ClientSamples) -> list[Attained]:
    """Attack the scores of FedMD's clients."""
    cohort = gathered(job, client_data, job.seeds[0], Ledger(method="fedmd"))
    consensus.train_by_consensus([cohort], open_samples(client_data, job.setting.public_data))
    return [personal_models.membership_in_scores(cohort)]


def on_logits(job: Job, client_data: ClientSamples) -> list[Attained]:
    """Attack what FD's clients send: seed samples before anything else, if there are any."""
    cohort = gathered(job, client_data, job.seeds[0], Ledger(method="fd"))
    if job.setting.seed_samples:
        return [personal_models.seeds_of_generator(cohort, job.setting.seed_samples)]
    distillation.train(cohort)
    return [
        personal_models.labels_of_mean_logits(cohort),
        personal_models.membership_in_mean_logits(cohort),
        personal_models.images_of_mean_logits(cohort, open_samples(client_data, "target")),
    ]


ATTACKS: dict[str, Callable[[Job, ClientSamples], list[Attained]]] = {
    "fedavg": on_weights,
    "fedvote": on_votes,
    "fedhealth": on_weights,
    "fedmd": on_scores,
    "fd": on_logits,
    "secure_ftl": lambda job, client_data: [labels_of_partner(job, client_data)],
}
"""By method; the first attack of a setting is in the table of the frameworks."""


def first_of_kinds(attained: list[Attained]) -> dict[str, float]:
    """Return what the first attack of each kind attains, mean over its victims, and blindly.

    A column is called after the attack, and has `_of_average` behind it where the adversary sees no
    more than what all clients get; that of its blind guess has `_blind` behind it.
    """
    columns: dict[str, float] = {}
    for attack in attained:
        name = attack.attack.replace(" ", "_")
        name += "_of_average" if attack.adversary == OF_AVERAGE else ""
        columns = {name: attack.row["value"], f"{name}_blind": attack.blind} | columns
    return columns
