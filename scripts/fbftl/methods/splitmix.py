"""Split-Mix (paper thesis, Ch. 4): narrow bases that weak clients can train, mixed to any width.

A client trains as many of the M_b bases as its budget allows, side by side; the server averages
each base over those that trained it, and a network of k bases predicts with the mean of the first
k bases' logits.
"""

from functools import partial

from fbftl.exchange.averaging import by_weights, pieces_held
from fbftl.exchange.repetition import run_rounds
from fbftl.learners.widths import shared_network
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the bases from scratch, one repetition per seed."""
    client_data = client_samples(job, inputs)
    learner_of = partial(shared_network, client_data, layout="bases")
    return run_rounds(job, client_data, learner_of, pieces_held, train=by_weights())
