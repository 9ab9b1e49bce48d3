"""FTL_f (Sec. II-B): all layers, from the source model, trained by client gradients."""

from torch import nn

from fbftl.job import Job
from fbftl.methods import Inputs, Outcome
from fbftl.methods.by_rounds import Learner, run_rounds, whole_update
from fbftl.methods.network import read


def run(job: Job, inputs: Inputs) -> Outcome:
    """Fine-tune the whole network under a new head, one repetition per seed."""
    federation, target = read(inputs)

    def learner_of(seed: int) -> Learner:
        return whole_update(nn.Sequential(target.transferred(), target.head(job, seed)))

    return run_rounds(job, federation, learner_of, inputs.scratch)
