"""CCVR (Luo et al. 2021, arXiv:2106.05001): FedAvg, then a classifier calibrated by statistics.

After the last round clients send class statistics of their features once, and the server retrains
the classifier on virtual features drawn from them: one further message where FedFeat+ has one a
round. The last point of its curve is after the calibration.

Under `aggregation: masked` the statistics alone go through a secure sum. The weights of every round
are open: the server sees each client's.
"""

from fbftl.exchange.averaging import weights_or_updates
from fbftl.exchange.calibration import by_calibrating, calibrated_network
from fbftl.exchange.repetition import run_rounds
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, held_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network from scratch, one repetition per seed."""
    held = held_samples(job, inputs)
    train = by_calibrating(job, held.classes)
    begin = calibrated_network(job, held)
    return run_rounds(job, held, begin, weights_or_updates(job), inputs.room.folder, train)
