"""What curves over rounds come to: when they have converged, and how they fall on their way.

Papers say of methods that they converge sooner, or more smoothly, and none says how it tells. What
does here is ours, and the same for every paper. Rounds are found by means over several rounds in a
row: a curve that jumps up and down touches any accuracy in a single round long before a smooth one
of the same mean.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fbftl.findings.comparison import ROUNDING

TAIL = 0.1
"""Share of the rounds whose mean counts, as where a curve is and as where it ends."""

NEAR = 0.01
"""A curve has converged where it comes this near to its end, a point of accuracy."""


def _rounds_of_a_mean(curve: ArrayLike) -> int:
    return max(1, round(TAIL * np.size(curve)))


def _means(curve: ArrayLike) -> NDArray[np.float64]:
    """Return the mean of every so many rounds in a row."""
    count = _rounds_of_a_mean(curve)
    return np.convolve(np.asarray(curve, dtype=float), np.ones(count) / count, "valid")


def end_of(curve: ArrayLike) -> float:
    """Return where a curve (rounds,) ends, the mean of its last rounds."""
    return float(_means(curve)[-1])


def rounds_until(curve: ArrayLike, mark: float) -> float:
    """Return the round (from 1) at which a curve reaches a mark; one more than all if it does not.

    It is the middle of the first rounds in a row, as many as an end has, whose mean is there.

    Args:
        curve: (rounds,), one or more.
        mark: what it is to reach.
    """
    reached = np.flatnonzero(_means(curve) >= mark - ROUNDING)
    if not len(reached):
        return float(np.size(curve) + 1)
    return float(reached[0] + (_rounds_of_a_mean(curve) + 1) / 2)


def rounds_to_converge(curve: ArrayLike) -> float:
    """Return the round (from 1) at which a curve is as near to its end as `NEAR`.

    Of one that has not converged it is nan, which is not compared: by the round that ends them all,
    any two curves that still rise would be equal.
    """
    return rounds_until(curve, end_of(curve) - NEAR) if _has_converged(curve) else float("nan")


def _has_converged(curve: ArrayLike) -> bool:
    """Tell whether the last rounds are as near to as many before them as noise lets anyone tell.

    A curve that ends in nothing has diverged.
    """
    values, count = np.asarray(curve, dtype=float), _rounds_of_a_mean(curve)
    if len(values) < 2 * count or end_of(curve) <= 0:
        return False
    before, last = values[-2 * count :].reshape(2, count)
    error = np.sqrt((before.var() + last.var()) / count)
    return bool(abs(last.mean() - before.mean()) <= NEAR + error)


def rounds_falling(curve: ArrayLike) -> float:
    """Return the share of rounds after the first in which a curve is below the round before."""
    steps = np.diff(np.asarray(curve, dtype=float))
    return float((steps < 0).mean()) if len(steps) else 0.0


def points_fallen(curve: ArrayLike) -> float:
    """Return by how many points a curve of shares falls in all its rounds together."""
    return float(-100 * np.minimum(np.diff(np.asarray(curve, dtype=float)), 0).sum())
