"""What figures draw of scores over seeds: points with bars, lines with bands, and the front.

A score is a column of a table; its standard deviation over seeds is `{score}_spread`, or `spread`
where the table has the score alone. A mark is beside every point with a seed that diverged,
where the table counts those as `diverged`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np

from fbftl.findings.style import DIVERGED, LABEL_SIZE, NEUTRAL, EndLabel, label_ends
from fbftl.ground.errors import required

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


def points_across(axes: "Axes", y: "pd.Series", rows: "pd.DataFrame", **look: Any) -> None:
    """Draw mean accuracies over seeds in per cent along the x axis, as `points_with_bars` does.

    Args:
        axes: where.
        y: height of each row.
        rows: a row per point.
        look: how matplotlib draws points and bars.
    """
    mean, spread = _plotted(rows, "accuracy", 100)
    axes.errorbar(mean, y, xerr=spread, **({"capsize": 2} | look))
    if "diverged" in rows:
        mark_diverged(axes, mean, y, rows["diverged"])


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


@dataclass(frozen=True)
class PointName:
    """What is written beside a point.

    x, y: its data coordinates.
    """

    text: str
    x: float
    y: float
    color: str | tuple[float, ...]


REACHES = (7, 13, 20, 28, 38, 50)
"""Points from a point to its name, the nearest that is free first."""

DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
"""Where a name may stand: right, left, above, below, then at the corners."""

NEAR = 13
"""From which reach on a thin line leads from a name to its point."""

REACHED = 0.9
"""Share of a panel's width from which on a line reaches its end."""

BETWEEN = 20
"""Places along a piece of a line that names keep clear of."""

AROUND = 3.5
"""Points around the middle of a marker that no name may cover."""


def name_points(axes: "Axes", names: Sequence[PointName], size: float = LABEL_SIZE) -> None:
    """Write a name beside each point, clear of other names, of what is drawn, and of the frame.

    Each takes the first place that is free; where none is, the one that covers least. Call it when
    every panel is drawn: later limits would move the points away.

    Args:
        axes: where.
        names: in the order in which they choose.
        size: of the letters, in points.
    """
    required(axes.get_figure(root=True)).draw_without_rendering()
    unit = axes.figure.dpi / 72
    covered, frame = _drawn(axes, unit), _corners(axes.get_window_extent())
    for name in names:
        at = axes.transData.transform((name.x, name.y))
        text = axes.annotate(
            name.text, (name.x, name.y), xytext=(0, 0), textcoords="offset points", ha="center",
            va="center", fontsize=size, color=name.color, zorder=1.9,
            bbox={"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 0.4},
        )  # fmt: skip
        left, bottom, right, top = _corners(text.get_window_extent())
        half = np.array([right - left, top - bottom]) / 2
        places = [
            (reach, _shift(np.array(direction), reach * unit, half))
            for reach, direction in product(REACHES, DIRECTIONS)
        ]
        costs = [_cost(_box(at + shift, half), covered, frame) for _, shift in places]
        reach, shift = places[int(np.argmin(costs))]
        covered = np.vstack([covered, _box(at + shift, half)])
        text.set_position(tuple(shift / unit))
        if reach >= NEAR:
            axes.annotate(
                "", (name.x, name.y), xytext=tuple((shift - np.sign(shift) * half) / unit),
                textcoords="offset points",
                arrowprops={"arrowstyle": "-", "color": name.color, "linewidth": 0.5},
            )  # fmt: skip


def name_lines(axes: "Axes", ends: Sequence[PointName]) -> None:
    """Write a line's name at its last point: right of the panel where the line reaches its end.

    Call it when every panel is drawn.
    """
    right = [end for end in ends if _across(axes, end) > REACHED]
    label_ends(axes, [EndLabel(end.text, end.y, end.color) for end in right])
    if inside := [end for end in ends if end not in right]:
        name_points(axes, inside)


def _across(axes: "Axes", end: PointName) -> float:
    """Return how far to the right a point is in its panel, 1 at the edge."""
    at = axes.transData.transform((end.x, end.y))
    return float(axes.transAxes.inverted().transform(at)[0])


def _drawn(axes: "Axes", unit: float) -> np.ndarray:
    """Return boxes around all markers and along all lines of a panel, in pixels, (n, 4).

    unit: pixels of a point.
    """
    from matplotlib.cbook import STEP_LOOKUP_MAP

    boxes = [np.empty((0, 4))]
    for line in axes.lines:
        at = line.get_transform().transform(line.get_xydata())
        at = at[np.isfinite(at).all(axis=1)]
        if line.get_marker() not in ("None", None, ""):
            boxes.append(np.hstack([at - AROUND * unit, at + AROUND * unit]))
        if line.get_linestyle() != "None" and len(at) > 1:
            at = np.array(STEP_LOOKUP_MAP[line.get_drawstyle()](*at.T)).T
            way = np.concatenate([np.linspace(*ends, BETWEEN) for ends in pairwise(at)])
            boxes.append(np.hstack([way - unit / 2, way + unit / 2]))
    return np.vstack(boxes)


def _cost(box: np.ndarray, covered: np.ndarray, frame: np.ndarray) -> float:
    """Return how much a name's box covers, and how much of it is outside the frame."""
    outside = np.prod(box[2:] - box[:2]) - _common(box, frame[None]).sum()
    return float(_common(box, covered).sum() + 2 * outside)


def _shift(direction: np.ndarray, reach: float, half: np.ndarray) -> np.ndarray:
    """Return how far the middle of a name of half a size stands from its point, in pixels."""
    return direction * (half + reach / np.abs(direction).sum() ** 0.5)


def _box(middle: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Return left, bottom, right and top around a middle."""
    return np.concatenate([middle - half, middle + half])


def _corners(extent: Any) -> np.ndarray:
    """Return left, bottom, right and top of what matplotlib measured."""
    return np.array([extent.x0, extent.y0, extent.x1, extent.y1])


def _common(box: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the areas that a box shares with others (n, 4), in square pixels."""
    sides = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    return np.prod(sides.clip(min=0), axis=1)


def on_front(cost: "pd.Series", score: "pd.Series") -> np.ndarray:
    """Return which points are on the Pareto front: none costs as little or less and scores better,
    and none costs less and scores as well. Of equal points all are, or none.
    """
    costs, scores = cost.to_numpy(), score.to_numpy()
    as_good = (costs <= costs[:, None]) & (scores >= scores[:, None])
    better = (costs < costs[:, None]) | (scores > scores[:, None])
    return ~(as_good & better).any(axis=1)
