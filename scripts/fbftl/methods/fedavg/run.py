"""A run of FedAvg, all its seeds."""

from functools import partial

from fbftl.exchange.averaging import by_weights, weights_or_updates
from fbftl.exchange.protection import guarantees_by_rounds
from fbftl.exchange.repetition import run_rounds
from fbftl.methods.fedavg.federation import initial_learner, with_measures
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network from scratch, one repetition per seed."""
    client_data = client_samples(job, inputs)
    exchanged, scratch = weights_or_updates(job), inputs.room.folder
    learner_of = partial(initial_learner, client_data)
    return with_measures(run_rounds(job, client_data, learner_of, exchanged, scratch, by_weights()))


guarantees = guarantees_by_rounds
