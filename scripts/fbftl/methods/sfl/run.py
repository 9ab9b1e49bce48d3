"""A run of SFL, all its seeds."""

from fbftl.exchange.repetition import run_rounds
from fbftl.methods.sfl.exchange import split_exchange
from fbftl.methods.sfl.network import SplitNetwork
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, Repetition, client_samples
from fbftl.training.passes import passes_of


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the split network from scratch, one repetition per seed."""
    client_data = client_samples(job, inputs)

    def split(repetition: Repetition) -> SplitNetwork:
        parts = client_data.target.random(job, repetition.seed)
        passes = passes_of(job.network_training, repetition.seed, *parts)
        return SplitNetwork(
            *parts, client_data.training_data(repetition, client_data.samples), passes
        )

    return run_rounds(job, client_data, split, split_exchange)
