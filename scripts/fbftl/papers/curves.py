"""What curves over rounds come to: when they have converged, and how they fall on their way.

Papers say of methods that they converge sooner, or more smoothly, and none says how it tells. What
does here is ours, and the same for every paper.
"""

import numpy as np
from numpy.typing import ArrayLike

TAIL = 0.1
"""Share of the rounds whose mean is where a curve ends."""

NEAR = 0.01
"""A curve has converged in the round that comes this near to its end, a point of accuracy."""


def end_of(curve: ArrayLike) -> float:
    """Return where a curve (rounds,) ends, the mean of its last rounds."""
    values = np.asarray(curve, dtype=float)
    return float(values[-max(1, round(TAIL * len(values))) :].mean())


def rounds_until(curve: ArrayLike, mark: float) -> float:
    """Return the first round (from 1) in which a curve is at a mark; one more than all if in none.

    Args:
        curve: (rounds,), one or more.
        mark: what it is to reach.
    """
    reached = np.flatnonzero(np.asarray(curve, dtype=float) >= mark)
    return float(reached[0] + 1) if len(reached) else float(np.size(curve) + 1)


def rounds_to_converge(curve: ArrayLike) -> float:
    """Return the first round (from 1) in which a curve is as near to its end as `NEAR`."""
    return rounds_until(curve, end_of(curve) - NEAR)


def rounds_falling(curve: ArrayLike) -> float:
    """Return the share of rounds after the first in which a curve is below the round before."""
    steps = np.diff(np.asarray(curve, dtype=float))
    return float((steps < 0).mean()) if len(steps) else 0.0


def points_fallen(curve: ArrayLike) -> float:
    """Return by how many points a curve of shares falls in all its rounds together."""
    return float(-100 * np.minimum(np.diff(np.asarray(curve, dtype=float)), 0).sum())
