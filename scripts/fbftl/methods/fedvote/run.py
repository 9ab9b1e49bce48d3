"""A run of FedVote, all its seeds."""

from functools import partial

from fbftl.exchange.averaging import weights_or_updates
from fbftl.exchange.repetition import run_rounds
from fbftl.methods.fedvote.sources import source_models
from fbftl.methods.fedvote.voting import Voting
from fbftl.study.job import Job
from fbftl.training.learners.local import local_network
from fbftl.training.tasks.task import Inputs, Outcome, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the network from scratch with one vote, one repetition per seed."""
    client_data = client_samples(job, inputs)
    voting = Voting(
        job, source_models(client_data, job, related=job.setting.vote_candidates != "unrelated")
    )
    initial, exchanged = partial(local_network, client_data), weights_or_updates(job)
    return voting.with_measures(
        run_rounds(job, client_data, initial, exchanged, inputs.room.folder, voting.train)
    )
