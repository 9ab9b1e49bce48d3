"""Federated augmentation (FAug): seed samples, a generator made of them, clients filled up by it.

The paper prints a GAN after an image search. Here the generator is a Gaussian for each class on the
leading principal components of the seeds, with one covariance for all: a few seeds teach no more.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from fbftl.ground.randomness import stream
from fbftl.training.samples import LabelledInputs

COMPONENTS = 20
"""Principal components at most."""


@dataclass(frozen=True)
class Generator:
    """Class-conditional Gaussians.

    centre: (p,) mean of all seeds.
    basis: (k, p) principal components.
    means: (N, k) of each class; not a number without seeds.
    root: (k, k) a square root of the covariance inside classes.
    has_seeds: (N,) classes of which there were seeds.
    """

    centre: Tensor
    basis: Tensor
    means: Tensor
    root: Tensor
    has_seeds: np.ndarray

    @property
    def numbers(self) -> int:
        """Numbers that tell of it."""
        return sum(part.numel() for part in (self.centre, self.basis, self.means, self.root))

    def sample(self, labels: np.ndarray, draws: np.random.Generator) -> Tensor:
        """Return a sample of each label (n,), (n, p)."""
        normal = draws.standard_normal((len(labels), len(self.basis)), dtype=np.float32)
        at = torch.from_numpy(labels).to(self.means.device)
        noise = torch.from_numpy(normal).to(self.means) @ self.root.T
        return self.centre + (self.means[at] + noise) @ self.basis


def seeds_of(rows: np.ndarray, labels: np.ndarray, most: int, seed: int, client: int) -> np.ndarray:
    """Return the rows that a client sends: of its scarce labels, and redundant ones to hide them.

    In turn one of the scarcest label that it holds and has not yet sent, and one of the most
    frequent, so that every label it holds is sent before any twice.

    Args:
        rows: of the client.
        labels: (n,) of the task's samples.
        most: seed samples at most.
        seed: the repetition's seed.
        client: its number.
    """
    shuffled = stream(seed, "seed samples", client).permutation(rows)
    present, counts = np.unique(labels[shuffled], return_counts=True)
    rising = present[np.argsort(counts, kind="stable")]
    half = -(-len(rising) // 2)
    turns = [
        label for pair in zip(rising[:half], rising[::-1][:half], strict=True) for label in pair
    ]
    order = list(dict.fromkeys(turns))
    queues = [list(shuffled[labels[shuffled] == label]) for label in order]
    sent = [queue[depth] for depth in range(len(rows)) for queue in queues if depth < len(queue)]
    return np.array(sent[:most], dtype=rows.dtype)


def fitted(seeds: LabelledInputs, classes: int) -> Generator:
    """Return the generator that seed samples make."""
    values = seeds.inputs.flatten(1)
    centre = values.mean(0)
    _, _, components = torch.linalg.svd(values - centre, full_matrices=False)
    basis = components[: min(COMPONENTS, len(values) - 1)]
    placed = (values - centre) @ basis.T
    means = torch.full((classes, len(basis)), torch.nan).to(placed)
    for label in seeds.labels.unique():
        means[label] = placed[seeds.labels == label].mean(0)
    within = placed - means[seeds.labels]
    degrees = max(len(values) - len(seeds.labels.unique()), 1)
    spread, vectors = torch.linalg.eigh(within.T @ within / degrees)
    has_seeds = np.isin(np.arange(classes), seeds.labels.cpu().numpy())
    return Generator(centre, basis, means, vectors * spread.clamp(min=0).sqrt(), has_seeds)


def augmented(
    samples: LabelledInputs, rows: Sequence[np.ndarray], generator: Generator, seed: int
) -> tuple[LabelledInputs, list[np.ndarray]]:
    """Return samples with generated ones behind them, and rows by which all labels are as frequent.

    Args:
        samples: (n, ...) of the task.
        rows: of each client.
        generator: what fills up; a label that it does not know stays as it is.
        seed: the repetition's seed.
    """
    labels, has_seeds = samples.labels.cpu().numpy(), generator.has_seeds
    inputs, targets, filled, first = [samples.inputs], [samples.labels], [], len(labels)
    for client, client_rows in enumerate(rows):
        counts = np.bincount(labels[client_rows], minlength=len(has_seeds))
        missing = np.repeat(np.arange(len(has_seeds)), (counts.max() - counts) * has_seeds)
        generated = generator.sample(missing, stream(seed, "generated", client))
        inputs.append(generated.view(-1, *samples.inputs.shape[1:]))
        targets.append(torch.from_numpy(missing).to(samples.labels))
        filled.append(np.concatenate([client_rows, np.arange(first, first + len(missing))]))
        first += len(missing)
    return LabelledInputs(torch.cat(inputs), torch.cat(targets)), filled
