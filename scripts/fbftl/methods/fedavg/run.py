"""A run of FedAvg, all its seeds."""

from functools import partial

from fbftl.exchange.averaging import by_weights, weights_or_updates
from fbftl.exchange.repetition import run_rounds
from fbftl.exchange.secure_sum import RING_MEASURES
from fbftl.exchange.summed_weights import SummedRounds
from fbftl.methods.fedavg.federation import initial_learner, with_measures
from fbftl.study.job import Job
from fbftl.training.tasks.task import Inputs, Outcome, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network from scratch, one repetition per seed."""
    client_data = client_samples(job, inputs)
    exchanged, scratch = weights_or_updates(job), inputs.room.folder
    learner_of = partial(initial_learner, client_data)
    training = partial(run_rounds, job, client_data, learner_of, exchanged, scratch)
    if job.setting.aggregation == "open":
        return with_measures(training(by_weights()))
    rounds = SummedRounds(job)
    outcome = with_measures(training(rounds.train()))
    return outcome.with_more(lambda _: rounds.ring.record, RING_MEASURES)
