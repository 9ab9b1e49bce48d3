"""SHeteroFL (paper thesis, Sec. 4.5): HeteroFL whose clients train all narrower slices of theirs.

The loss of a client is the sum of the losses of its slice and of those inside it, as of a slimmable
network (Yu et al. 2019).
"""

from functools import partial

from fbftl.exchange.averaging import by_weights, pieces_held
from fbftl.exchange.repetition import run_rounds
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, held_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network from scratch, one repetition per seed."""
    held = held_samples(job, inputs)
    begin = partial(held.shared, layout="slimmable slices")
    return run_rounds(job, held, begin, pieces_held, train=by_weights())
