"""What robust networks get right: clean inputs, adversarial ones, and noise as large."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from fbftl.methods.robust.pgd import PGD, pgd_perturbed, pictures, random_corners
from fbftl.models.dual_batch_norm import Statistics, measured
from fbftl.training.samples import LabelledSamples, TrainingData, by_domain

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
        random = random_corners(part.inputs, test.preprocessing, PGD().radius, noise)
        for name, network_under in networks.items():
            network = network_under(statistics)
            adversarial = pgd_perturbed(network, part.inputs, part.labels, test.preprocessing)
            for kind, inputs in zip(kinds, (part.inputs, adversarial, random), strict=False):
                with torch.no_grad():
                    right = network(inputs).argmax(1) == part.labels
                hits[kind, name] += int(right.sum())
    return hits
