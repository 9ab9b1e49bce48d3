"""FTL_c (Sec. II-B): the head alone, trained by client gradients on the cached features.

The extractor is frozen, so every round's features are those of the store; it never runs here.
The clients are sent it once, which Eq. (12) leaves out of the downlink.
"""

from fbftl.exchange.repetition import run_rounds, whole_update
from fbftl.exchange.uploads import rows_read
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, held_features, holdings


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train one head per seed by rounds."""
    held = held_features(job, inputs, rows_read([job], holdings(job, inputs)))
    exchanged = whole_update(once={"weights": held.frozen_floats})
    return run_rounds(job, held, held.head, exchanged, inputs.room.folder)
