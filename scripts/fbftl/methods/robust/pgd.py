"""Adversarial inputs by projected gradient descent (Madry et al. 2018), and random ones as far."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from fbftl.data.preprocess import Preprocessing


@dataclass(frozen=True)
class PGD:
    """The attack's budget, in pixels where white is 1; the defaults are the thesis's.

    radius: largest change of a pixel, that of an L-infinity ball around the clean input.
    step: change of a pixel in one step.
    steps: number of steps.
    """

    radius: float = 8 / 255
    step: float = 2 / 255
    steps: int = 7


def pgd_perturbed(
    network: Callable[[Tensor], Tensor], inputs: Tensor, labels: Tensor,
    preprocessing: Preprocessing, attack: PGD = PGD(),
) -> Tensor:  # fmt: skip
    """Return inputs perturbed by PGD, each within the radius and among the pixels.

    It is by ascent on the loss, along signs of its gradient, from the clean input: without Madry's
    random start.

    Args:
        network: from inputs (n, C, H, W) to logits.
        inputs: (n, C, H, W), as preprocessing made them.
        labels: (n,).
        preprocessing: without a size, by which pixels became inputs.
        attack: radius, step and steps.
    """
    deviation = _by_channel(preprocessing.std, inputs)
    low, high = bounds(inputs, preprocessing, attack.radius)
    perturbed = inputs.detach()
    for _ in range(attack.steps):
        perturbed = perturbed.detach().requires_grad_()
        loss = functional.cross_entropy(network(perturbed), labels, reduction="sum")
        (gradient,) = torch.autograd.grad(loss, perturbed)
        perturbed = perturbed + attack.step / deviation * gradient.sign()
        perturbed = torch.minimum(torch.maximum(perturbed, low), high)
    return perturbed.detach()


def random_corners(
    inputs: Tensor, preprocessing: Preprocessing, radius: float, generator: torch.Generator
) -> Tensor:
    """Return inputs at random corners of their bounds: every pixel up or down as far as may be."""
    low, high = bounds(inputs, preprocessing, radius)
    up = torch.rand(inputs.shape, generator=generator).to(inputs.device) < 0.5
    return torch.where(up, high, low)


def bounds(inputs: Tensor, preprocessing: Preprocessing, radius: float) -> tuple[Tensor, Tensor]:
    """Return the least and the greatest value that each input may be moved to."""
    mean, deviation = (_by_channel(v, inputs) for v in (preprocessing.mean, preprocessing.std))
    black, white = -mean / deviation, (1 - mean) / deviation
    low = torch.maximum(inputs - radius / deviation, black)
    return low, torch.minimum(inputs + radius / deviation, white)


def _by_channel(values: tuple[float, ...], inputs: Tensor) -> Tensor:
    return torch.tensor(values, device=inputs.device)[:, None, None]
