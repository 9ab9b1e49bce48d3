"""How soon a learning curve reaches an accuracy, finer than its points are apart."""

from collections.abc import Sequence
from itertools import pairwise


def epochs_to(accuracies: Sequence[float], target: float) -> float:
    """Return after how many epochs a curve first reaches a target, by lines between its points.

    A curve begins before its first epoch at 0. One that never gets there counts an epoch more than
    it had, so that it is slower than every curve of its length that does.

    Args:
        accuracies: after each epoch.
        target: above 0.
    """
    for epoch, (before, after) in enumerate(pairwise([0.0, *accuracies])):
        if after >= target:
            return epoch + (target - before) / (after - before)
    return len(accuracies) + 1.0
