"""The rule that fixes a task's head and epochs before any claim is tested on it.

It sees validation accuracy on the uploads of the clean setting and nothing else: no test split, no
other method, no cost.

- *Epochs*: the fewest, in steps of four from eight on, after which the validation curve has been
  flat over the last quarter: its mean there exceeds that of the quarter before by no more than one
  standard error of the difference, paired by seed.
- *Head*: the smallest whose best mean validation accuracy within its own epochs lies within one
  standard error of the best head's.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

STEP = 4
"""Epochs are whole quarters."""


@dataclass(frozen=True)
class Candidate:
    """One head, trained for longer than will be needed.

    widths: of its hidden layers.
    parameters: of the whole head.
    validation: (S, E) validation accuracy by seed and epoch, NaN-free.
    """

    widths: tuple[int, ...]
    parameters: int
    validation: np.ndarray

    @property
    def epochs(self) -> int:
        """Epochs that the rule gives this head."""
        return flat_epochs(self.validation)

    @property
    def accuracy(self) -> np.ndarray:
        """Validation accuracy (S,) after the epoch, within those, of the best mean."""
        accuracies = self.validation[:, : self.epochs]
        return accuracies[:, accuracies.mean(axis=0).argmax()]

    @property
    def best(self) -> tuple[float, float]:
        """Mean of that accuracy, and its standard error."""
        return float(self.accuracy.mean()), standard_error(self.accuracy)


def flat_epochs(validation: np.ndarray) -> int:
    """Return the fewest epochs after which a curve has been flat over the last quarter.

    Args:
        validation: (S, E) validation accuracy by seed and epoch, E at least eight.

    Returns:
        A multiple of four; the longest one at hand where the curve rises to the end.
    """
    longest = validation.shape[1] // STEP * STEP
    for epochs in range(2 * STEP, longest, STEP):
        third, last = np.split(validation[:, epochs // 2 : epochs], 2, axis=1)
        rise = last.mean(axis=1) - third.mean(axis=1)
        if rise.mean() <= standard_error(rise):
            return epochs
    return longest


def smallest_within_error(candidates: Sequence[Candidate]) -> Candidate:
    """Return the smallest head within one standard error of the best one."""
    means = [candidate.best[0] for candidate in candidates]
    best, error = candidates[int(np.argmax(means))].best
    near = [each for each, mean in zip(candidates, means, strict=True) if mean >= best - error]
    return min(near, key=lambda candidate: candidate.parameters)


def epochs_to_common(candidates: Sequence[Candidate]) -> list[int]:
    """Return after how many epochs each head is as accurate as every head becomes, on the mean."""
    means = [candidate.validation.mean(axis=0) for candidate in candidates]
    common = min(mean.max() for mean in means)
    return [int(np.argmax(mean >= common)) + 1 for mean in means]


def standard_error(values: np.ndarray) -> float:
    """Return the standard error of the mean of one value per seed, 0 for a single seed."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
