"""Noisy full-batch gradient descent of stacked heads (paper thesis, ch. 2, Eq. 2.1-2.3).

A step averages clipped gradients over the N samples, adds noise of standard deviation
sigma_t G / N, and goes on by the bias-corrected momentum of such averages. A head's noise depends
on the seed that it is given and the step's place; schedules are releases with seeds of their own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from fbftl.ground.randomness import stream
from fbftl.methods.private_gd.clipping import clipped_sums
from fbftl.models.heads import Head
from fbftl.models.modes import digests
from fbftl.training.curves import MEASURES, SERIES, Measure, Series

PRIVATE_MEASURES = MEASURES | {
    "training_loss": Measure("nats", "lower"),
    "steps_taken": Measure("steps"),
}
PRIVATE_SERIES = SERIES | {"loss": Series("nats", by="step")}

VALUES_AT_ONCE = 2**20
"""Numbers of one layer of all heads that step together; about what a core's cache holds."""


@dataclass(frozen=True, eq=False)
class Descent:
    """How heads descend.

    multipliers: (T, H) noise standard deviation of each step of each head, over G / N.
    clip: G; inf clips nothing.
    momentum: beta, below 1.
    weight_decay: lambda of a penalty lambda/2 |theta|^2, which looks at no sample.
    """

    multipliers: np.ndarray
    clip: float
    learning_rate: float
    momentum: float = 0.0
    weight_decay: float = 0.0


@dataclass(frozen=True, eq=False)
class OwnSamples:
    """The samples that each head is trained on, on the training device.

    values: (n, width) of all samples.
    labels: (n,).
    rows: the rows of each head, which may be of unequal number.
    """

    values: Tensor
    labels: Tensor
    rows: Sequence[np.ndarray]

    def gathered(self) -> tuple[Tensor, Tensor]:
        """Return values (H, N, width) and labels (H, N) of heads with as many samples each."""
        at = torch.from_numpy(np.stack(self.rows)).to(self.labels.device)
        return self.values[at], self.labels[at]


@dataclass(frozen=True, eq=False)
class Descended:
    """H stacked heads after T steps.

    losses: (T + 1, H) mean training losses before each step and after the last.
    models: (T + 1, H) SHA-256 of each head at these points.
    """

    head: Head
    losses: np.ndarray
    models: np.ndarray


def descend(
    initial: Callable[[Sequence[int]], Head],
    samples: OwnSamples,
    seeds: Sequence[int],
    descent: Descent,
    noised_by: Sequence[int] | None = None,
) -> Descended:
    """Train heads, so many at once as memory has room for.

    Heads step together if they have as many samples: a sum over filled up ones rounds otherwise.

    Args:
        initial: from seeds to stacked heads at their initial values.
        samples: what each of H heads is trained on.
        seeds: (H,) whose initial values a head has; several may share one.
        descent: how.
        noised_by: (H,) seeds of the noise, `seeds` if None; heads that share one are noised alike.
    """
    noised_by = seeds if noised_by is None else noised_by
    width = max(
        samples.values.shape[1], *(weight.shape[2] for weight in initial(seeds[:1]).weights)
    )
    counts = np.array([len(rows) for rows in samples.rows])
    done, order = [], []
    for count in dict.fromkeys(counts.tolist()):
        alike = np.flatnonzero(counts == count)
        at_once = max(1, VALUES_AT_ONCE // (count * width))
        for first in range(0, len(alike), at_once):
            part = alike[first : first + at_once]
            some = OwnSamples(samples.values, samples.labels, [samples.rows[h] for h in part])
            head, noise = initial([seeds[h] for h in part]), descent.multipliers[:, part]
            done.append(_together(head, some, [noised_by[h] for h in part], descent, noise))
            order += part.tolist()
    places = np.argsort(order)
    joined = Head(
        [torch.cat(w)[places] for w in zip(*(each.head.weights for each in done), strict=True)],
        [torch.cat(b)[places] for b in zip(*(each.head.biases for each in done), strict=True)],
    )
    losses, models = (
        np.concatenate([getattr(result, name) for result in done], axis=1)[:, places]
        for name in ("losses", "models")
    )
    return Descended(joined, losses, models)


@torch.no_grad()
def _together(
    head: Head, samples: OwnSamples, seeds: Sequence[int], descent: Descent, noise: np.ndarray
) -> Descended:
    """Train heads in lockstep and in place."""
    x, labels = samples.gathered()
    count = labels.shape[1]
    alike = {seed: index for index, seed in enumerate(dict.fromkeys(map(int, seeds)))}
    draws = [stream(seed, "gradient_noise") for seed in alike]
    stream_of_head = torch.tensor([alike[int(seed)] for seed in seeds])
    parameters = head.parameters()
    moved = [torch.zeros_like(parameter) for parameter in parameters]
    losses, models = [], []
    for step, multipliers in enumerate(noise, start=1):
        lost, sums = clipped_sums(head, x, labels, descent.clip)
        losses.append(lost / count)
        models.append(digests(parameters))
        if multipliers.any():
            stds = torch.from_numpy(multipliers * descent.clip).to(x)
            for total, normal in zip(sums, _normal(draws, sums), strict=True):
                total += stds[:, None, None] * normal[stream_of_head]
        forgotten = 1 - descent.momentum**step
        for parameter, velocity, total in zip(parameters, moved, sums, strict=True):
            gradient = total / count + descent.weight_decay * parameter
            velocity.mul_(descent.momentum).add_(gradient, alpha=1 - descent.momentum)
            parameter.sub_(velocity, alpha=descent.learning_rate / forgotten)
    lost, _ = clipped_sums(head, x, labels, descent.clip)
    every = torch.stack([*losses, lost / count]).cpu().numpy().astype(np.float64)
    return Descended(head, every, np.array([*models, digests(parameters)]))


def _normal(draws: Sequence[np.random.Generator], like: Sequence[Tensor]) -> list[Tensor]:
    """Return standard normal numbers of the shapes of stacked tensors, one each per generator."""
    sizes = [tensor[0].numel() for tensor in like]
    normal = np.empty((len(draws), sum(sizes)), dtype=np.float32)
    for generator, row in zip(draws, normal, strict=True):
        generator.standard_normal(dtype=np.float32, out=row)
    parts = torch.from_numpy(normal).to(like[0].device).split(sizes, dim=1)
    return [part.view(-1, *tensor.shape[1:]) for part, tensor in zip(parts, like, strict=True)]
