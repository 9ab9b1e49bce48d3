"""FL (Sec. II-A): all layers from random initial values, trained by client gradients."""

from torch import nn

from fbftl.exchange.passes import passes_of
from fbftl.exchange.repetition import Learner, run_rounds, whole_update
from fbftl.study.job import Job
from fbftl.tasks.images import read
from fbftl.tasks.task import Inputs, Outcome


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network from scratch, one repetition per seed."""
    federation, target = read(inputs)

    def learner_of(seed: int) -> Learner:
        network = nn.Sequential(*target.random(job, seed))
        return whole_update(network, passes=passes_of(job.training, seed, network))

    return run_rounds(job, federation, learner_of, inputs.scratch)
