"""SFL (Sec. II-C): split federated learning from random initial values.

The clients hold the network up to the cut layer and send smashed data; the main server holds the
rest; the fed server averages the clients' parts. With one local step it equals FL numerically.
"""

from fbftl.exchange.repetition import Learner, run_rounds
from fbftl.exchange.split import split_learner
from fbftl.study.job import Job
from fbftl.tasks.images import read
from fbftl.tasks.task import Inputs, Outcome


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the split network from scratch, one repetition per seed."""
    federation, target = read(inputs)

    def learner_of(seed: int) -> Learner:
        parts = target.random(job, seed)
        return split_learner(*parts, target.example.to(inputs.device), job.training, seed)

    return run_rounds(job, federation, learner_of)
