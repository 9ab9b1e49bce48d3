"""HeteroFL (Diao et al. 2021): clients train leading slices of one network, as wide as they can.

The server averages every weight over the clients whose slice has it.
"""

from functools import partial

from fbftl.exchange.averaging import by_weights, pieces_held
from fbftl.exchange.repetition import run_rounds
from fbftl.learners.widths import shared_network
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network from scratch, one repetition per seed."""
    client_data = client_samples(job, inputs)
    learner_of = partial(shared_network, client_data, layout="slices")
    return run_rounds(job, client_data, learner_of, pieces_held, train=by_weights())
