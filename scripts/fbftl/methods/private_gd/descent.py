"""Noisy full-batch gradient descent of stacked heads (paper thesis, ch. 2), gradients clipped.

A step averages clipped gradients over the N samples, adds noise of standard deviation
sigma_t G / N, and goes on by the bias-corrected momentum of such averages. A head's noise depends
on the seed that it is given and the step's place; schedules are releases with seeds of their own.

In a dense layer a sample's gradient is the outer product of the loss's gradient at the output and
of what entered, so that its norm is the product of two norms, and clipping it scales the one factor
(Goodfellow 2015, arXiv 1510.01799).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from fbftl.ground.randomness import stream
from fbftl.models.heads import Head
from fbftl.models.modes import digests
from fbftl.training.curves import MEASURES, SERIES, Measure, Series


def outputs_for(classes: int) -> int:
    """Return the outputs of a head: one logit for two classes (logistic loss), else one each."""
    return 1 if classes == 2 else classes


def logits_of(outputs: Tensor) -> Tensor:
    """Return a logit per class, (..., classes); that of the first of two classes is 0."""
    if outputs.shape[-1] > 1:
        return outputs
    return torch.cat([torch.zeros_like(outputs), outputs], dim=-1)


def norm_for(clip: float, outputs: int) -> float | None:
    """Return the largest norm of an input at which no gradient of a linear head exceeds `clip`.

    The gradient at the outputs is at most 1 long with one logit, sqrt(2) with several, and a bias
    adds 1 to the squared norm of what enters. None if the bias alone may exceed the clip norm.
    """
    steepest = 1.0 if outputs == 1 else sqrt(2)
    left = (clip / steepest) ** 2 - 1
    return sqrt(left) if left > 0 else None


def clipped_sums(head: Head, x: Tensor, labels: Tensor, clip: float) -> tuple[Tensor, list[Tensor]]:
    """Return summed losses and, per parameter, the sums of clipped per-sample gradients.

    Args:
        head: H stacked perceptrons.
        x: inputs (H, N, width).
        labels: (H, N).
        clip: L2 norm that no sample's gradient exceeds; inf clips nothing.

    Returns:
        Losses (H,), and sums in the order of `Head.parameters`.
    """
    entered = [x]
    for weight, bias in zip(head.weights[:-1], head.biases[:-1], strict=True):
        entered.append(torch.relu(torch.baddbmm(bias, entered[-1], weight)))
    outputs = torch.baddbmm(head.biases[-1], entered[-1], head.weights[-1])
    logits = logits_of(outputs)
    losses = functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none")
    error = torch.softmax(logits, dim=-1)
    error.scatter_add_(-1, labels[..., None], -torch.ones_like(error[..., :1]))
    at_outputs = [error[..., -outputs.shape[-1] :]]
    for weight, hidden in zip(reversed(head.weights[1:]), reversed(entered[1:]), strict=True):
        at_outputs.insert(0, at_outputs[0] @ weight.mT * (hidden > 0))
    squares = torch.zeros((), device=x.device)
    for delta, activation in zip(at_outputs, entered, strict=True):
        squares = squares + delta.square().sum(-1) * (activation.square().sum(-1) + 1)
    factors = (clip / squares.sqrt().clamp(min=1e-30)).clamp(max=1.0)
    sums = []
    for delta, activation in zip(at_outputs, entered, strict=True):
        scaled = delta * factors[..., None]
        sums += [activation.mT @ scaled, scaled.sum(dim=1, keepdim=True)]
    return losses.view_as(labels).sum(dim=1), sums


PRIVATE_MEASURES = MEASURES | {"training_loss": Measure("nats", "lower")}
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
