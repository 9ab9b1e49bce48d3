"""Split-Mix on cached features: bases that are narrow heads, trained behind a frozen extractor.

A client is sent the extractor once, as under FTL_c, reads its own features from the store and
trains as many heads as its budget allows; the server serves any width from the same heads.
"""

from dataclasses import replace
from functools import partial

from fbftl.exchange.averaging import by_weights, pieces_held
from fbftl.exchange.repetition import run_rounds
from fbftl.exchange.uplink import Traffic
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, LocalLearner, Outcome, held_features


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the bases from scratch, one repetition per seed."""
    held = held_features(job, inputs)

    def exchanged(learner: LocalLearner) -> Traffic:
        return replace(pieces_held(learner), once={"weights": held.frozen_floats})

    begin = partial(held.shared, layout="bases")
    return run_rounds(job, held, begin, exchanged, train=by_weights())
