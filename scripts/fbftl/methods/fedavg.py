"""FedAvg (McMahan et al. 2017): all layers from random initial values, by clients' local epochs.

A survey's simulation of it (paper survey, Sec. 3.1) has clients draw their samples anew in every
round, and begins as if each had a network of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from torch import Tensor

from fbftl.exchange.averaging import by_weights, weights_or_updates
from fbftl.exchange.repetition import run_rounds
from fbftl.ground.randomness import stream
from fbftl.study.job import Job
from fbftl.tasks.task import HeldSamples, Inputs, LocalLearner, Outcome, Repetition, held_samples
from fbftl.training.batches import drawn_rounds
from fbftl.training.local import Hooks, Visit
from fbftl.training.measures import Measure

OWN_MEASURES = {
    "first_accuracy": Measure("share", "higher", diverged=0.0),
    "reversals": Measure("rounds", "lower"),
}
"""Accuracy after the first round, and rounds after which it was lower than before."""


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network from scratch, one repetition per seed."""
    held = held_samples(job, inputs)

    def begin(repetition: Repetition) -> LocalLearner:
        return begun(held, repetition)

    exchanged, scratch = weights_or_updates(job), inputs.room.folder
    outcome = run_rounds(job, held, begin, exchanged, scratch, by_weights())
    told = [one | early(one["curves"]["test_accuracy"]) for one in outcome.repetitions]
    return replace(outcome, repetitions=told, measures={**outcome.measures, **OWN_MEASURES})


def early(accuracy: Sequence[float]) -> dict[str, float]:
    """Return what a curve says of its beginning and of its way."""
    fallen = sum(later < sooner for sooner, later in pairwise(accuracy))
    return {"first_accuracy": accuracy[0], "reversals": fallen}


def begun(held: HeldSamples, repetition: Repetition) -> LocalLearner:
    """Return a repetition's learner with the starts and the draws that its setting asks for."""
    setting, training = repetition.job.setting, repetition.job.training
    turns = None
    if setting.drawn is not None:
        shape = (setting.drawn, training.clients_per_round, training.rounds, repetition.seed)
        turns = drawn_rounds(repetition.clients, *shape)
    hooks = Hooks(start=own_starts(held, repetition)) if setting.start == "own" else Hooks()
    return held.local(repetition, hooks, turns)


def own_starts(held: HeldSamples, repetition: Repetition) -> Callable[[Visit], Tensor | None]:
    """Return what has every client begin its first round from initial values of its own."""

    def start(visit: Visit) -> Tensor | None:
        if visit.turn > 1:
            return None
        seed = int(stream(repetition.seed, "start", visit.client).integers(2**31))
        return held.local(replace(repetition, seed=seed)).weights()

    return start
