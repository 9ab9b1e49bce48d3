"""A federation as the survey simulates it: draws in every round, starts of their own, its way."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from torch import Tensor

from fbftl.ground.randomness import stream
from fbftl.training.batches import drawn_rounds
from fbftl.training.curves import Measure
from fbftl.training.local_network import LocalNetwork, local_network
from fbftl.training.local_updates import Hooks, LocalUpdate
from fbftl.training.tasks.task import ClientSamples, Outcome, Repetition

OWN_MEASURES = {
    "first_accuracy": Measure("share", "higher", diverged=0.0),
    "reversals": Measure("rounds", "lower"),
}
"""Accuracy after the first round, and rounds after which it was lower than before."""


def with_measures(outcome: Outcome) -> Outcome:
    """Return an outcome with its first accuracy and its reversals."""
    return outcome.with_more(lambda of: early(of["series"]["test_accuracy"]), OWN_MEASURES)


def early(accuracy: Sequence[float]) -> dict[str, float]:
    """Return the accuracy after round 1, and after how many rounds it was lower than before."""
    fallen = sum(later < sooner for sooner, later in pairwise(accuracy))
    return {"first_accuracy": accuracy[0], "reversals": fallen}


def initial_learner(client_data: ClientSamples, repetition: Repetition) -> LocalNetwork:
    """Return a repetition's learner with the starts and the draws that its setting asks for."""
    setting, training = repetition.job.setting, repetition.job.network_training
    schedule = None
    if setting.resampled_per_round is not None:
        shape = (
            setting.resampled_per_round,
            training.clients_per_round,
            training.local_rounds,
            repetition.seed,
        )
        schedule = drawn_rounds(repetition.clients, *shape)
    hooks = (
        Hooks(start=own_starts(client_data, repetition))
        if setting.initial_weights == "own"
        else Hooks()
    )
    return local_network(client_data, repetition, hooks, schedule)


def own_starts(
    client_data: ClientSamples, repetition: Repetition
) -> Callable[[LocalUpdate], Tensor | None]:
    """Return what has every client begin its first round from initial values of its own."""

    def start(local_update: LocalUpdate) -> Tensor | None:
        if local_update.round_number > 1:
            return None
        seed = int(stream(repetition.seed, "start", local_update.client).integers(2**31))
        return local_network(client_data, replace(repetition, seed=seed)).weights()

    return start
