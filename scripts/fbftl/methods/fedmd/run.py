"""A run of FedMD, all its seeds."""

from collections.abc import Iterator, Sequence
from functools import partial

from fbftl.exchange.personal import run_personal
from fbftl.methods.fedmd.consensus import Learnt, train_by_consensus
from fbftl.study.job import Job
from fbftl.training.tasks.open_data import open_samples
from fbftl.training.tasks.task import Inputs, Outcome, client_samples


def run_together(jobs: Sequence[Job], inputs: Inputs) -> Iterator[Outcome]:
    """Train settings one after the other; what their clients learn of open data they share."""
    learnt: Learnt = {}
    for job in jobs:
        client_data = client_samples(job, inputs)
        public = open_samples(client_data, job.setting.public_data)
        yield run_personal(
            job, client_data, partial(train_by_consensus, public=public, learnt=learnt)
        )
