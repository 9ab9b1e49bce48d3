"""Split-Mix's robust variant (paper thesis, Sec. 4.4.2) at one base, or adversarial FedAvg.

Clients train on clean and on disturbed inputs. With normalisations of its own for either kind, a
network can be made more robust or more accurate after training; with one for both it cannot.
"""

from functools import partial

from fbftl.exchange.averaging import by_weights, weights_or_updates
from fbftl.exchange.repetition import run_rounds
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, held_samples
from fbftl.training.robust_network import RobustNetwork


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network from scratch, one repetition per seed."""
    held = held_samples(job, inputs)
    begin = partial(held.local, of=partial(RobustNetwork, own=job.setting.norms == "own"))
    return run_rounds(job, held, begin, weights_or_updates(job), inputs.room, by_weights())
