"""The round engine of the gradient methods (Sec. II-A): broadcast, client updates, server step.

In a round U·C clients each send the sum g_u of their per-sample gradients and their count K_u;
the server steps with the average of the sums that arrive over the counts.
"""

import math
from collections.abc import Callable, Iterable

import numpy as np
import torch
from torch import Tensor

from fbftl.messages.codec import NotFiniteError
from fbftl.training.batches import Round, Rounds
from fbftl.training.tasks.task import Learner

ClientMessage = Callable[[Round], np.ndarray]
"""From a round of one client alone to the message (X,) that it sends."""


def as_gradient(learner: Learner, mean: np.ndarray) -> list[Tensor]:
    """Return an averaged update (X,) as a gradient, a tensor per parameter of a learner."""
    parameters = learner.parameters
    parts = torch.from_numpy(mean).to(parameters[0].device)
    sizes = [parameter.numel() for parameter in parameters]
    return [
        part.view_as(parameter)
        for part, parameter in zip(parts.split(sizes), parameters, strict=True)
    ]


def by_steps(
    learner: Learner, step: Callable[[Round], Tensor], schedule: Iterable[Rounds]
) -> list[int]:
    """Train a learner in place by rounds; return how many there were by the end of each epoch.

    Once an update cannot be sent because it is not finite, there are no more rounds.

    Args:
        learner: what is trained.
        step: takes a round's step and returns its losses.
        schedule: the rounds of each epoch.
    """
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
