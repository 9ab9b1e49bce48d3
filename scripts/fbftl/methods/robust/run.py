"""A run of robust FedAvg, all its seeds."""

from functools import partial

from fbftl.exchange.averaging import by_weights, weights_or_updates
from fbftl.exchange.repetition import run_rounds
from fbftl.learners.local import local_network
from fbftl.methods.robust.network import RobustNetwork
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network from scratch, one repetition per seed."""
    client_data = client_samples(job, inputs)
    setting = job.setting
    of = partial(
        RobustNetwork,
        separate=setting.disturbed_normalisation == "own",
        weight=setting.robust_weight,
    )
    learner_of = partial(local_network, client_data, of=of)
    return run_rounds(
        job, client_data, learner_of, weights_or_updates(job), inputs.room.folder, by_weights()
    )
