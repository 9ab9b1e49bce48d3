"""A run of robust FedAvg, or of robust bases under budgets, all its seeds."""

from functools import partial

from fbftl.exchange.averaging import by_weights, pieces_held, weights_or_updates
from fbftl.exchange.repetition import run_rounds
from fbftl.learners.local import local_network
from fbftl.learners.widths import shared_network
from fbftl.methods.robust.bases import RobustBases
from fbftl.methods.robust.network import RobustNetwork
from fbftl.models.dual_batch_norm import doubled
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network, or narrower bases, from scratch, one repetition per seed."""
    client_data, setting = client_samples(job, inputs), job.setting
    separate = setting.disturbed_normalisation == "own"
    if setting.width < 1:
        learner_of = partial(
            shared_network,
            client_data,
            layout="bases",
            made=partial(RobustBases, weight=setting.robust_weight),
            of=partial(doubled, separate=separate),
        )
        return run_rounds(job, client_data, learner_of, pieces_held, train=by_weights())
    of = partial(RobustNetwork, separate=separate, weight=setting.robust_weight)
    learner_of = partial(local_network, client_data, of=of)
    return run_rounds(
        job, client_data, learner_of, weights_or_updates(job), inputs.room.folder, by_weights()
    )
