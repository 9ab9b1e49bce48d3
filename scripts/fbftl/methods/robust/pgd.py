"""Adversarial inputs (Madry et al. 2018), random ones as far, and what networks get right."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from fbftl.data.preprocess import Preprocessing
from fbftl.models.dual_batch_norm import Statistics, measured
from fbftl.training.local_updates import Perturbing
from fbftl.training.samples import LabelledSamples, Pictures, TrainingData, by_domain

RADIUS, STEP, STEPS = 8 / 255, 2 / 255, 7
"""The thesis's budget, in pixels where white is 1: largest change of a pixel (an L-infinity ball
around the clean input), its change in one step, and the number of steps."""


def pgd_perturbed(
    network: Callable[[Tensor], Tensor], inputs: Tensor, labels: Tensor,
    preprocessing: Preprocessing, counts: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return inputs perturbed by PGD, each within the radius and among the pixels.

    It is by ascent on the loss, along signs of its gradient, from the clean input: without Madry's
    random start.

    Args:
        network: from inputs (n, C, H, W) to logits.
        inputs: (n, C, H, W), as preprocessing made them.
        labels: (n,).
        preprocessing: without a size, by which pixels became inputs.
        counts: (n,) which have a loss, where others only fill a batch; None for all.
    """
    deviation = _by_channel(preprocessing.std, inputs)
    low, high = bounds(inputs, preprocessing)
    perturbed = inputs.detach()
    for _ in range(STEPS):
        perturbed = perturbed.detach().requires_grad_()
        losses = functional.cross_entropy(network(perturbed), labels, reduction="none")
        loss = losses.sum() if counts is None else losses[counts].sum()
        (gradient,) = torch.autograd.grad(loss, perturbed)
        perturbed = perturbed + STEP / deviation * gradient.sign()
        perturbed = torch.minimum(torch.maximum(perturbed, low), high)
    return perturbed.detach()


def by_pgd(samples: LabelledSamples) -> Perturbing:
    """Return what perturbs mini-batches of some samples by PGD, of one network or of a stack."""
    of_pictures = pictures(samples)
    image = of_pictures.at(np.arange(1)).inputs.shape[1:]

    def perturbed(
        network: Callable[[Tensor], Tensor], inputs: Tensor, labels: Tensor, counts: Tensor
    ) -> Tensor:
        def predicted(images: Tensor) -> Tensor:
            return network(images.view_as(inputs)).flatten(0, -2)

        flat = (inputs.reshape(-1, *image), labels.flatten())
        moved = pgd_perturbed(predicted, *flat, of_pictures.preprocessing, counts=counts.flatten())
        return moved.view_as(inputs)

    return perturbed


def pictures(samples: LabelledSamples) -> Pictures:
    """Return samples that know how their pixels become inputs.

    Raises:
        TypeError: if they are inputs already.
    """
    if isinstance(samples, Pictures):
        return samples
    raise TypeError("inputs without their preprocessing have no pixels to perturb")


def bounds(inputs: Tensor, preprocessing: Preprocessing) -> tuple[Tensor, Tensor]:
    """Return the least and the greatest value that each input may be moved to."""
    mean, deviation = (_by_channel(v, inputs) for v in (preprocessing.mean, preprocessing.std))
    black, white = -mean / deviation, (1 - mean) / deviation
    low = torch.maximum(inputs - RADIUS / deviation, black)
    return low, torch.minimum(inputs + RADIUS / deviation, white)


def _by_channel(values: tuple[float, ...], inputs: Tensor) -> Tensor:
    return torch.tensor(values, device=inputs.device)[:, None, None]


SHARES = (0.0, 0.2, 0.5, 0.8, 1.0)
"""λ at which a network is evaluated."""

KINDS = ("standard", "robust", "random_noise")
"""What it is evaluated on: clean inputs, under PGD against itself, and under random noise as large.
"""

Predicting = Callable[[Tensor], Tensor]


def statistics_under_attack(
    network: nn.Module,
    predicting: Predicting,
    samples: LabelledSamples,
    rows: np.ndarray,
    weight: float,
) -> Statistics:
    """Return a network's statistics of some samples, clean and perturbed as they are in training.

    Args:
        network: with doubled normalisations.
        predicting: that network, normalised as it is when it is attacked.
        samples: pictures.
        rows: which of them.
        weight: of the loss on adversarial inputs, from 0 to 1.
    """
    of_pictures = pictures(samples)
    part = of_pictures.at(rows)
    adversarial = pgd_perturbed(predicting, part.inputs, part.labels, of_pictures.preprocessing)
    return measured(network, part.inputs, adversarial, weight)


def hits_by_kind(
    training_data: TrainingData,
    statistics_of: Callable[[np.ndarray], Any],
    networks: Mapping[Any, Callable[[Any], Predicting]],
    noise: torch.Generator,
    kinds: Sequence[str] = KINDS,
) -> Counter[tuple[str, Any]]:
    """Return how many test samples each network gets right, by kind of inputs and its name.

    Args:
        training_data: samples and test split.
        statistics_of: from rows of a domain's samples to what networks are normalised by there.
        networks: by name, from these statistics to what predicts.
        noise: draws the random noise.
        kinds: the first of `KINDS`.
    """
    samples, test = training_data.samples, pictures(training_data.test)
    training = np.setdiff1d(np.arange(len(samples.labels)), training_data.validation)
    tested = by_domain(test, np.arange(len(test.labels)))
    hits: Counter[tuple[str, Any]] = Counter()
    for domain_samples, rows in zip(by_domain(samples, training), tested, strict=True):
        part, statistics = test.at(rows), statistics_of(domain_samples)
        # Random corners of the bounds: every pixel up or down as far as may be.
        low, high = bounds(part.inputs, test.preprocessing)
        up = torch.rand(part.inputs.shape, generator=noise).to(part.inputs.device) < 0.5
        random = torch.where(up, high, low)
        for name, network_under in networks.items():
            network = network_under(statistics)
            adversarial = pgd_perturbed(network, part.inputs, part.labels, test.preprocessing)
            for kind, inputs in zip(kinds, (part.inputs, adversarial, random), strict=False):
                with torch.no_grad():
                    right = network(inputs).argmax(1) == part.labels
                hits[kind, name] += int(right.sum())
    return hits
