"""A federation as the survey simulates it: draws in every round, starts of their own, its way."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from torch import Tensor

from fbftl.ground.randomness import stream
from fbftl.tasks.task import HeldSamples, LocalLearner, Outcome, Repetition
from fbftl.training.batches import drawn_rounds
from fbftl.training.measures import Measure
from fbftl.training.visits import Hooks, Visit

OWN_MEASURES = {
    "first_accuracy": Measure("share", "higher", diverged=0.0),
    "reversals": Measure("rounds", "lower"),
}
"""Accuracy after the first round, and rounds after which it was lower than before."""


def told(outcome: Outcome) -> Outcome:
    """Return an outcome with what its curves say of beginning and way."""
    repetitions = [one | early(one["series"]["test_accuracy"]) for one in outcome.repetitions]
    return replace(outcome, repetitions=repetitions, measures={**outcome.measures, **OWN_MEASURES})


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
