"""Names of marks in a figure: at the ends of lines, or beside points, clear of what is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np

from fbftl.findings.style import LABEL_SIZE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Name:
    """What is written at a mark.

    x, y: the mark's data coordinates.
    colour: as matplotlib takes it.
    of_line: whether the mark is a line's, beyond whose end the name may be.
    """

    text: str
    x: float
    y: float
    colour: Any
    of_line: bool = False


REACHES = (7, 13, 20, 28, 38, 50)
"""Points from a mark to its name, the nearest that is free first."""

DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1))
"""Where a name may stand: right, left, above, below, then at the corners."""

NEAR = 13
"""From which reach on a thin line leads from a name to its mark."""

REACHED = 0.9
"""Share of a panel's width from which on a line reaches its end."""

BETWEEN = 20
"""Places along a piece of a line that names keep clear of."""

AROUND = 3.5
"""Points around the middle of a marker that no name may cover."""


def write(figure: "Figure", names: Sequence[Sequence[Name]]) -> None:
    """Write names at their marks; those of lines that reach the panel's end, right of the panel.

    Call it when everything is drawn: later limits would move the marks.

    Args:
        figure: whose panels the names are in.
        names: of each panel, in the order in which they choose their places.
    """
    figure.draw_without_rendering()
    inside = []
    for axes, of_panel in zip(figure.axes, names, strict=True):
        ends = [name for name in of_panel if name.of_line and _across(axes, name) > REACHED]
        write_at_ends(axes, ends)
        inside.append([name for name in of_panel if name not in ends])
    # Panels make room for what is written beside them.
    figure.draw_without_rendering()
    for axes, of_panel in zip(figure.axes, inside, strict=True):
        write_beside(axes, of_panel)


def write_at_ends(axes: "Axes", names: Sequence[Name]) -> None:
    """Write names right of the panel where lines end, moved apart if they would overlap."""
    gap = 1.25 * LABEL_SIZE * axes.figure.dpi / 72
    ordered = sorted(names, key=lambda name: name.y)
    wanted = [axes.transData.transform((name.x, name.y))[1] for name in ordered]
    for name, pixel in zip(ordered, spread_out(wanted, gap), strict=True):
        height = axes.transAxes.inverted().transform((0, pixel))[1]
        axes.text(
            1.02, height, name.text, color=name.colour, fontsize=LABEL_SIZE, va="center",
            transform=axes.transAxes,
        )  # fmt: skip


def spread_out(positions: Sequence[float], gap: float) -> list[float]:
    """Return ascending places moved as little as needed to be `gap` apart, groups centred."""
    groups: list[list[float]] = []
    for position in positions:
        groups.append([position])
        while len(groups) > 1 and _start(groups[-1], gap) < _end(groups[-2], gap) + gap:
            groups[-2:] = [groups[-2] + groups[-1]]
    return [_start(group, gap) + i * gap for group in groups for i in range(len(group))]


def _start(group: list[float], gap: float) -> float:
    return sum(group) / len(group) - gap * (len(group) - 1) / 2


def _end(group: list[float], gap: float) -> float:
    return _start(group, gap) + gap * (len(group) - 1)


def write_beside(axes: "Axes", names: Sequence[Name], size: float = LABEL_SIZE) -> None:
    """Write a name beside each mark, clear of other names, of what is drawn, and of the frame.

    Each takes the first place that is free; where none is, the one that covers least.
    """
    unit = axes.figure.dpi / 72
    covered, frame = _drawn(axes, unit), _corners(axes.get_window_extent())
    for name in names:
        at = axes.transData.transform((name.x, name.y))
        text = axes.annotate(
            name.text, (name.x, name.y), xytext=(0, 0), textcoords="offset points", ha="center",
            va="center", fontsize=size, color=name.colour, zorder=1.9,
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
                arrowprops={"arrowstyle": "-", "color": name.colour, "linewidth": 0.5},
            )  # fmt: skip


def _across(axes: "Axes", name: Name) -> float:
    """Return how far to the right a mark is in its panel, 1 at the edge."""
    at = axes.transData.transform((name.x, name.y))
    return float(axes.transAxes.inverted().transform(at)[0])


def _drawn(axes: "Axes", unit: float) -> np.ndarray:
    """Return boxes around all markers and along all lines of a panel, in pixels, (n, 4).

    unit: pixels of a point.
    """
    boxes = [np.empty((0, 4))]
    for line in axes.lines:
        at = line.get_transform().transform(line.get_xydata())
        at = at[np.isfinite(at).all(axis=1)]
        if line.get_marker() not in ("None", None, ""):
            boxes.append(np.hstack([at - AROUND * unit, at + AROUND * unit]))
        if line.get_linewidth() and len(at) > 1:
            way = np.concatenate([np.linspace(*ends, BETWEEN) for ends in pairwise(at)])
            boxes.append(np.hstack([way - unit / 2, way + unit / 2]))
    return np.vstack(boxes)


def _cost(box: np.ndarray, covered: np.ndarray, frame: np.ndarray) -> float:
    """Return how much a name's box covers, and how much of it is outside the frame."""
    outside = np.prod(box[2:] - box[:2]) - _common(box, frame[None]).sum()
    return float(_common(box, covered).sum() + 2 * outside)


def _shift(direction: np.ndarray, reach: float, half: np.ndarray) -> np.ndarray:
    """Return how far the middle of a name of half a size stands from its mark, in pixels."""
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
