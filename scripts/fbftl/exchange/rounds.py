"""The round engine of the gradient methods (Sec. II-A): broadcast, client updates, server step.

In a round U·C clients each send the sum g_u of their per-sample gradients and their count K_u;
the server steps with the average of the sums that arrive over the counts. How a round's gradient
comes about is a `Gradient`: the learner's own over all samples that arrive, where nothing needs
single updates, and every client's update through the uplink where something does.
"""

import math
from collections.abc import Callable, Iterable

import numpy as np
import torch
from torch import Tensor

from fbftl.messages.codec import NotFiniteError
from fbftl.tasks.task import Learner
from fbftl.training.batches import Round, Rounds

Gradient = Callable[[Round], tuple[Tensor, list[Tensor]]]
"""Returns a round's losses and averaged gradient, a tensor per parameter."""

Arrivals = Callable[[Round], np.ndarray]
"""From a round to which of its clients' messages arrive (C,)."""

Average = Callable[[Round, np.ndarray], np.ndarray]
"""From a round and its clients' updates (C, X) to the average (X,) that the server steps with."""

ClientMessage = Callable[[Round], np.ndarray]
"""From a round of one client alone to the message (X,) that it sends."""


def batch_gradient(learner: Learner, arrivals: Arrivals) -> Gradient:
    """Return the gradient of all arriving samples' mean loss."""
    return lambda round_: learner.mean_gradient(round_, arrivals(round_))


def client_gradient(learner: Learner, average: Average) -> Gradient:
    """Return the average of the clients' own updates as it comes out of the uplink."""

    def gradient(round_: Round) -> tuple[Tensor, list[Tensor]]:
        losses, updates = learner.client_gradients(round_)
        return losses, as_gradient(learner, average(round_, updates.cpu().numpy()))

    return gradient


def as_gradient(learner: Learner, mean: np.ndarray) -> list[Tensor]:
    """Return an averaged update (X,) as a gradient, a tensor per parameter of a learner."""
    parameters = learner.parameters
    parts = torch.from_numpy(mean).to(parameters[0].device)
    sizes = [parameter.numel() for parameter in parameters]
    return [
        part.view_as(parameter)
        for part, parameter in zip(parts.split(sizes), parameters, strict=True)
    ]


def train_rounds(learner: Learner, gradient: Gradient, schedule: Iterable[Rounds]) -> list[int]:
    """Train a learner in place by rounds; return how many there were by the end of each epoch.

    Once an update cannot be sent because it is not finite, there are no more rounds.

    Args:
        learner: what is trained.
        gradient: how a round's averaged gradient comes about.
        schedule: the rounds of each epoch.
    """

    def step(round_: Round) -> Tensor:
        loss, mean = gradient(round_)
        learner.step(mean)
        return loss

    return by_steps(learner, step, schedule)


def by_steps(
    learner: Learner, step: Callable[[Round], Tensor], schedule: Iterable[Rounds]
) -> list[int]:
    """Do the same by what takes a round's step and returns its loss."""
    ends = [0]
    for epoch in schedule:
        losses: list[Tensor] = []
        for round_ in () if learner.diverged else epoch.single(ends[-1]):
            try:
                losses.append(step(round_))
            except NotFiniteError:
                losses.append(torch.tensor(math.nan))
                break
        learner.end_epoch(losses)
        ends.append(ends[-1] + len(losses))
    return ends[1:]
