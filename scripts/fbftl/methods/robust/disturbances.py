"""Projected gradient descent (Madry et al. 2018): inputs disturbed so that a network errs."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from fbftl.data.preprocess import Preprocessing


@dataclass(frozen=True)
class Disturbance:
    """How far inputs may be moved, in pixels where white is 1; the defaults are the thesis's.

    reach: largest change of a pixel, the radius of an L-infinity ball.
    step: change of a pixel in one step.
    steps: number of steps.
    """

    reach: float = 8 / 255
    step: float = 2 / 255
    steps: int = 7


def descended(
    network: Callable[[Tensor], Tensor], inputs: Tensor, labels: Tensor,
    preprocessing: Preprocessing, how: Disturbance = Disturbance(),
) -> Tensor:  # fmt: skip
    """Return inputs moved by signs of the loss's gradient, within reach and among the pixels.

    Args:
        network: from inputs (n, C, H, W) to logits.
        inputs: (n, C, H, W), as preprocessing made them.
        labels: (n,).
        preprocessing: without a size, by which pixels became inputs.
        how: how far they may be moved.
    """
    deviation = _by_channel(preprocessing.std, inputs)
    low, high = bounds(inputs, preprocessing, how.reach)
    moved = inputs.detach()
    for _ in range(how.steps):
        moved = moved.detach().requires_grad_()
        loss = functional.cross_entropy(network(moved), labels, reduction="sum")
        (gradient,) = torch.autograd.grad(loss, moved)
        moved = moved + how.step / deviation * gradient.sign()
        moved = torch.minimum(torch.maximum(moved, low), high)
    return moved.detach()


def at_random(
    inputs: Tensor, preprocessing: Preprocessing, reach: float, generator: torch.Generator
) -> Tensor:
    """Return inputs with every pixel moved as far as it may be, up or down by chance."""
    low, high = bounds(inputs, preprocessing, reach)
    up = torch.rand(inputs.shape, generator=generator).to(inputs.device) < 0.5
    return torch.where(up, high, low)


def bounds(inputs: Tensor, preprocessing: Preprocessing, reach: float) -> tuple[Tensor, Tensor]:
    """Return the least and the greatest value that each input may be moved to."""
    mean, deviation = (_by_channel(v, inputs) for v in (preprocessing.mean, preprocessing.std))
    black, white = -mean / deviation, (1 - mean) / deviation
    low = torch.maximum(inputs - reach / deviation, black)
    return low, torch.minimum(inputs + reach / deviation, white)


def _by_channel(values: tuple[float, ...], inputs: Tensor) -> Tensor:
    return torch.tensor(values, device=inputs.device)[:, None, None]
