"""FTL_f (Sec. II-B): all layers, from the source model, trained by client gradients."""

from fbftl.exchange.repetition import run_rounds, whole_update
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, held_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Fine-tune the whole network under a new head, one repetition per seed."""
    held = held_samples(job, inputs)
    return run_rounds(job, held, held.transferred, whole_update(), inputs.room.folder)
