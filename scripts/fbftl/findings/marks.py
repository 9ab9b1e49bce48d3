"""What figures draw of scores over seeds: points with bars, lines with bands, and the front.

A score is a column of a table; its standard deviation over seeds is `{score}_spread`, or `spread`
where the table has the score alone. A mark is beside every point with a seed that diverged,
where the table counts those as `diverged`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fbftl.findings.style import DIVERGED, LABEL_SIZE, NEUTRAL

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

HIGHEST = 100
"""What accuracies and ROUGE can reach as they are drawn; their lowest is 0."""


def points_with_bars(
    axes: "Axes", x: "pd.Series", rows: "pd.DataFrame", score: str = "accuracy", *,
    scale: float = 100, **look: Any,
) -> None:  # fmt: skip
    """Draw means over seeds as points, each with a bar of one standard deviation.

    Args:
        axes: where.
        x: abscissa of each row.
        rows: a row per point.
        score: the column of the means.
        scale: what the score is multiplied by, 100 for a share in percent.
        look: how matplotlib draws points and bars.
    """
    mean, spread = _plotted(rows, score, scale)
    axes.errorbar(x, mean, spread, **({"capsize": 2} | look))
    if "diverged" in rows:
        mark_diverged(axes, x, mean, rows["diverged"])


def line_with_band(
    axes: "Axes", x: "pd.Series", rows: "pd.DataFrame", score: str = "accuracy", *,
    scale: float = 100, alpha: float = 0.15, **look: Any,
) -> None:  # fmt: skip
    """Draw means over seeds as a line, inside a band of one standard deviation to either side.

    The band ends where the score does, at 0 and at `HIGHEST`.

    Args:
        axes: where.
        x: abscissa of each row, in order.
        rows: a row per point.
        score: the column of the means.
        scale: what the score is multiplied by, 100 for a share in percent.
        alpha: opacity of the band.
        look: how matplotlib draws the line; the band has its `color`.
    """
    mean, spread = _plotted(rows, score, scale)
    axes.plot(x, mean, **look)
    low, high = (mean - spread).clip(lower=0), (mean + spread).clip(upper=HIGHEST)
    axes.fill_between(x, low, high, color=look["color"], alpha=alpha, linewidth=0)
    if "diverged" in rows:
        mark_diverged(axes, x, mean, rows["diverged"])


def _plotted(rows: "pd.DataFrame", score: str, scale: float) -> tuple["pd.Series", "pd.Series"]:
    """Return means and standard deviations as they are drawn; a single seed's is 0."""
    spread = f"{score}_spread" if f"{score}_spread" in rows else "spread"
    return scale * rows[score], scale * rows[spread].fillna(0)


def mark_diverged(
    axes: "Axes", x: Sequence[float], y: Sequence[float], diverged: Sequence[int]
) -> None:
    """Write a mark beside every point with a seed that diverged."""
    for abscissa, height, count in zip(x, y, diverged, strict=True):
        if count:
            axes.annotate(
                DIVERGED,
                (abscissa, height),
                xytext=(3, 2),
                textcoords="offset points",
                color=NEUTRAL,
                fontsize=LABEL_SIZE,
            )


def on_front(cost: "pd.Series", score: "pd.Series") -> np.ndarray:
    """Return which points are on the Pareto front: none costs as little or less and scores better,
    and none costs less and scores as well. Of equal points all are, or none.
    """
    costs, scores = cost.to_numpy(), score.to_numpy()
    as_good = (costs <= costs[:, None]) & (scores >= scores[:, None])
    better = (costs < costs[:, None]) | (scores > scores[:, None])
    return ~(as_good & better).any(axis=1)
