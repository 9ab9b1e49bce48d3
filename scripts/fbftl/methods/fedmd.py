"""FedMD (paper survey, Fig. 16): clients with networks of their own agree on scores of open data.

Each client learns open data, then its own, with as many steps. In every round it sends its scores
of the open samples; the server sends back their mean, the consensus, which clients digest (mean
squared error, the loss is not printed) before they revisit their own samples. The message is as
large as the open data are long and classes are many, whatever the networks; the paper prints O(1).
"""

from collections.abc import Sequence
from functools import partial

from fbftl.exchange.consensus import Learnt, agreed
from fbftl.exchange.kept import run_kept
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, held_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train each client's own network, one repetition per seed."""
    (outcome,) = run_together([job], inputs)
    return outcome


def run_together(jobs: Sequence[Job], inputs: Inputs) -> list[Outcome]:
    """Train settings one after the other; what their clients learn of open data they share."""
    learnt: Learnt = {}
    outcomes = []
    for job in jobs:
        held = held_samples(job, inputs)
        public = held.open_samples(job.setting.public_data)
        outcomes.append(run_kept(job, held, partial(agreed, public=public, learnt=learnt)))
    return outcomes
