"""A run of FTL_f, all its seeds."""

from functools import partial

from fbftl.exchange.repetition import run_rounds, whole_update
from fbftl.methods.by_name import of_kind
from fbftl.study.job import Job
from fbftl.training.tasks.task import Inputs, Outcome, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Fine-tune the whole network under a new head, one repetition per seed."""
    client_data = client_samples(job, inputs)
    transferred = partial(of_kind(job), client_data)
    return run_rounds(job, client_data, transferred, whole_update(), inputs.room.folder)
