"""Split-Mix on cached features: bases that are narrow heads, trained behind a frozen extractor.

A client is sent the extractor once, as under FTL_c, reads its own features from the store and
trains as many heads as its budget allows; the server serves any width from the same heads.
"""

from dataclasses import replace
from functools import partial

from fbftl.exchange.averaging import by_weights, pieces_held
from fbftl.exchange.repetition import run_rounds
from fbftl.exchange.uplink import Traffic
from fbftl.learners.widths import shared_heads
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, labelled_features
from fbftl.training.local_network import LocalNetwork


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the bases from scratch, one repetition per seed."""
    client_data = labelled_features(job, inputs)

    def exchanged(learner: LocalNetwork) -> Traffic:
        return replace(pieces_held(learner), frozen=client_data.frozen_floats)

    learner_of = partial(shared_heads, client_data, layout="bases")
    return run_rounds(job, client_data, learner_of, exchanged, train=by_weights())
