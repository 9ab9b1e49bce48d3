"""A run of CCVR, all its seeds."""

from fbftl.exchange.averaging import weights_or_updates
from fbftl.exchange.repetition import run_rounds
from fbftl.exchange.secure_sum import RING_MEASURES
from fbftl.methods.ccvr.calibration import by_calibrating, calibrated_network, ring_of
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network from scratch, one repetition per seed."""
    client_data = client_samples(job, inputs)
    train = by_calibrating(job, client_data.classes)
    initial_learner = calibrated_network(job, client_data)
    outcome = run_rounds(
        job, client_data, initial_learner, weights_or_updates(job), inputs.room.folder, train
    )
    if (ring := ring_of(job)) is None:
        return outcome
    return outcome.with_more(lambda _: ring.record, RING_MEASURES)
