"""SFL (Sec. II-C): split federated learning from random initial values.

The clients hold the network up to the cut layer and send smashed data; the main server holds the
rest; the fed server averages the clients' parts. With one local step it equals FL numerically.
"""

from fbftl.exchange.repetition import run_rounds
from fbftl.exchange.split import split_exchange
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, held_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the split network from scratch, one repetition per seed."""
    held = held_samples(job, inputs)
    return run_rounds(job, held, held.split, split_exchange)
