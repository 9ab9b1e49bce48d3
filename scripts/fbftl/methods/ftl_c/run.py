"""A run of FTL_c, all its seeds."""

from functools import partial

from fbftl.exchange.repetition import run_rounds, whole_update
from fbftl.methods.by_name import of_kind
from fbftl.study.job import Job
from fbftl.training.tasks.task import Inputs, Outcome, offered_features


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train one head per seed by rounds."""
    client_data, _ = offered_features([job], inputs)
    exchanged = whole_update(client_data.frozen_floats)
    head = partial(of_kind(job), client_data)
    return run_rounds(job, client_data, head, exchanged, inputs.room.folder)
