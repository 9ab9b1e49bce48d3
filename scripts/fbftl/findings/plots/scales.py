"""Axes of panels and the names in them: scales, ticks, labels, and marks all inside."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator
from matplotlib.transforms import Bbox

from fbftl.findings.plots.spec import Panel, Scale
from fbftl.findings.style import LABEL_SIZE, NEUTRAL

TOWARDS = 101
"""Per cent to which distances are taken where an axis is stretched; 100 % itself has one, of 1."""

HIGHEST_DRAWN, ROOM = 100.5, 0.5
"""Per cent at which such an axis ends at most, and those above what is drawn; markers are whole."""

STRETCHED_TICKS = (0, 30, 50, 70, 80, 90, 95, 98, 99, 99.5, 100)

CROWDED_ABOVE = 90
"""Per cent above which scores are told apart by an axis that is stretched."""

CROWDED = 0.11
"""Share of a packet loss axis within which two ticks have room for one label."""

ALMOST_ALL = 1 - 1e-9
"""Packet loss rate up to which such an axis tells rates apart."""

Transform = Callable[[np.ndarray], np.ndarray]

LINEAR = 0.1
"""Below it a `symlog` axis is linear, so that it holds 0."""


def finish(axes: Axes, panel: Panel, frames: Mapping[str, pd.DataFrame]) -> None:
    """Give a panel its title and axes.

    Args:
        axes: with everything drawn.
        panel: what it shows.
        frames: marks along its x and its y axis; those of all panels where they share one.
    """
    axes.set_title(panel.title)
    for which, axis in (("x", panel.x), ("y", panel.y)):
        if axis.reference is not None:
            line = axes.axvline if which == "x" else axes.axhline
            line(axis.reference, color=NEUTRAL, linewidth=0.8, zorder=0.5)
        if axis.scale == "score":
            low, high = frames[which]["low"].min(), frames[which]["high"].max()
            score_axis(axes, which, low, high, axis.label)
        elif axis.scale == "packet loss":
            packet_loss_axis(axes, list(axis.ticks), axis.label)
        else:
            _finish(axes, which, axis)


def _finish(axes: Axes, which: str, axis: Scale) -> None:
    """Give a panel one of matplotlib's scales."""
    name, _, numbers = axis.scale.partition(" ")
    base = {"base": 2} if name == "log2" else {}
    further = {"linthresh": LINEAR, "linscale": 0.5} if name == "symlog" else base
    the_axis = getattr(axes, f"{which}axis")
    if name == "categories":
        the_axis.grid(visible=False)
    else:
        getattr(axes, f"set_{which}scale")(name.removesuffix("2"), **further)
    if numbers:
        the_axis.set_major_locator(LogLocator(subs=(1, 2, 5) if numbers == "1-2-5" else (1,)))
        the_axis.set_major_formatter("{x:g}")
    if axis.ticks:
        ticks = axis.ticks if isinstance(axis.ticks, dict) else {t: f"{t:g}" for t in axis.ticks}
        the_axis.set_ticks(list(ticks), list(ticks.values()))
    if numbers or axis.ticks:
        the_axis.set_minor_locator(NullLocator())
    if axis.margin is not None:
        getattr(axes, f"set_{which}margin")(axis.margin)
    if axis.limits != (None, None):
        getattr(axes, f"set_{which}lim")(*axis.limits)
    the_axis.set_label_text(logarithmic(axis.label) if name.startswith("log") else axis.label)


def logarithmic(label: str) -> str:
    """Return the label of an axis that says that its scale is logarithmic."""
    if not label:
        return ""
    return f"{label[:-1]}, log scale)" if label.endswith(")") else f"{label} (log scale)"


def _missing(towards: float, highest: float) -> tuple[Transform, Transform]:
    """Return the logarithm of what values lack to another, falling, and its inverse.

    Values above the highest are taken as that.
    """
    return (
        lambda value: -np.log10(towards - np.clip(value, None, highest)),
        lambda height: towards - 10.0**-height,
    )


def packet_loss_axis(axes: Axes, rates: Sequence[float], label: str) -> None:
    """Make the x axis one of the logarithm of what arrives.

    Every rate has a tick. From the left, a tick is labelled if its label has room.

    Args:
        axes: with everything drawn.
        rates: the packet loss rates below 1, ascending.
        label: of the axis.
    """
    positions = [-math.log10(1 - rate) for rate in rates]
    labels, free_from = [], -math.inf
    for rate, position in zip(rates, positions, strict=True):
        labels.append(f"{rate:g}" if position >= free_from else "")
        if labels[-1]:
            free_from = position + CROWDED * (positions[-1] - positions[0])
    axes.set_xscale("function", functions=_missing(1, ALMOST_ALL))
    axes.set_xticks(rates, labels)
    room = 0.05 * positions[-1]
    axes.set_xlim(1 - 10**room, 1 - 10 ** -(positions[-1] + room))
    axes.set_xlabel(f"{label} (log scale of what arrives)")


def score_axis(axes: Axes, which: str, lowest: float, highest: float, label: str) -> None:
    """Make an axis, which holds per cents, end where scores do, with all markers whole.

    Where some are near 100 %, it is one of the logarithm of what is missing to 101 %, so that they
    are told apart. Its label says so.

    Args:
        axes: with everything drawn.
        which: x or y.
        lowest, highest: what is drawn, in per cent.
        label: of the axis.
    """
    if highest < CROWDED_ABOVE:
        room = 0.05 * (highest - lowest) + 1
        limits = {f"{which}lim": (max(lowest - room, -room), highest + room)}
        axes.set(**{f"{which}scale": "linear", f"{which}label": label}, **limits)
        return
    getattr(axes, f"set_{which}scale")("function", functions=_missing(TOWARDS, HIGHEST_DRAWN))
    below = max((tick for tick in STRETCHED_TICKS if tick <= lowest), default=0)
    top = min(highest + ROOM, HIGHEST_DRAWN)
    # Between 99 and 100 a label has room only where the axis ends below 100.
    hidden = 99.5 if top >= 100 else None
    ticks = [tick for tick in STRETCHED_TICKS if below <= tick <= top and tick != hidden]
    getattr(axes, f"set_{which}ticks")(ticks, [f"{tick}" for tick in ticks])
    words = f"{label},\nstretched towards 100"
    axes.set(**{f"{which}lim": (min(below, lowest), top), f"{which}label": words})


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


REACHES = (7, 13, 20, 28, 38, 50, 64, 80)
"""Points from a mark to its name, the nearest that is free first."""

SIDES = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)]
DIRECTIONS = np.array([*SIDES, *product((1, -1), (0.5, -0.5)), *product((0.5, -0.5), (1, -1))])
"""Where a name may be: right, left, above, below, at the corners, then between these."""

NEAR = 13
"""From which reach on a thin line leads from a name to its mark."""

REACHED = 0.9
"""Share of a panel's width from which on a line reaches its end."""

BETWEEN = 60
"""Places along a piece of a line that names keep clear of."""

OUTSIDE, NAMED, MISREAD = 1000, 20, 3
"""What it costs a name to leave the panel, to cover another name, and to be about as near to the
mark of another name as to its own, in marks covered."""

CLEARLY = 6
"""Points that a name is nearer to its own mark than to others."""

AROUND = 3.5
"""Points around the middle of a marker that no name may cover."""


def write(figure: Figure, names: Sequence[Sequence[Name]]) -> None:
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


def write_at_ends(axes: Axes, names: Sequence[Name]) -> None:
    """Write names right of the panel where lines end, moved apart if they would overlap."""
    gap = 1.25 * LABEL_SIZE * axes.figure.dpi / 72
    if not names:
        return
    ordered = sorted(names, key=lambda name: name.y)
    wanted = [axes.transData.transform((name.x, name.y))[1] for name in ordered]
    for name, pixel in zip(ordered, spread_out(wanted, gap), strict=True):
        height = axes.transAxes.inverted().transform((0, pixel))[1]
        axes.text(
            1.02, height, name.text, color=name.colour, fontsize=LABEL_SIZE, va="center",
            transform=axes.transAxes,
        )  # fmt: skip


def spread_out(positions: Sequence[float], gap: float) -> list[float]:
    """Return ascending places moved as little as needed to be `gap` apart, groups centred.

    Without the gaps that lie before them, they are the nearest places that do not fall.
    """
    from scipy.optimize import isotonic_regression

    before = gap * np.arange(len(positions))
    return list(isotonic_regression(np.array(positions) - before).x + before)


def write_beside(axes: Axes, names: Sequence[Name]) -> None:
    """Write a name beside each mark, clear of other names, of what is drawn, and of the frame.

    Each takes the first place that is free; where none is, the one that covers least.
    """
    unit = axes.figure.dpi / 72
    drawn, frame, named = _drawn(axes, unit), axes.get_window_extent(), np.empty((0, 2, 2))
    marks = axes.transData.transform([(name.x, name.y) for name in names])
    lengths = np.hypot(*DIRECTIONS.T)[:, None]
    for mark, name in zip(marks, names, strict=True):
        others = marks[(marks != mark).any(axis=1)]
        text = axes.annotate(
            name.text, (name.x, name.y), xytext=(0, 0), textcoords="offset points", ha="center",
            va="center", fontsize=LABEL_SIZE, color=name.colour, zorder=1.9,
            bbox={"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 0.4},
        )  # fmt: skip
        box = text.get_window_extent().get_points()
        half = np.diff(box, axis=0)[0] / 2
        shifts = np.array([DIRECTIONS * (half + reach * unit / lengths) for reach in REACHES])
        boxes = box + shifts.reshape(-1, 1, 2)
        ends = np.array([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)])
        costs = (
            _overlapped(boxes, drawn[_overlap(ends, drawn)])
            + NAMED * _overlapped(boxes, named)
            + MISREAD * _as_near(boxes, mark, others, CLEARLY * unit)
            + OUTSIDE * _leaves(boxes, frame)
        )
        best = int(np.argmin(costs))
        reach, shift = REACHES[best // len(DIRECTIONS)], shifts.reshape(-1, 2)[best]
        padding = np.array([[-unit], [unit]])
        named = np.concatenate([named, boxes[best][None] + padding])
        text.set_position(tuple(shift / unit))
        if reach >= NEAR:
            axes.annotate(
                "", (name.x, name.y), xytext=tuple((shift - np.sign(shift) * half) / unit),
                textcoords="offset points",
                arrowprops={"arrowstyle": "-", "color": name.colour, "linewidth": 0.5},
            )  # fmt: skip


def _across(axes: Axes, name: Name) -> float:
    """Return how far to the right a mark is in its panel, 1 at the edge."""
    at = axes.transData.transform((name.x, name.y))
    return float(axes.transAxes.inverted().transform(at)[0])


def _as_near(boxes: np.ndarray, mark: np.ndarray, others: np.ndarray, clearly: float) -> np.ndarray:
    """Return how many other marks (marks, axes) are not `clearly` farther from boxes than a mark.

    clearly: pixels.
    """
    low, high = boxes[:, :1], boxes[:, 1:]

    def distance(marks: np.ndarray) -> np.ndarray:
        return np.linalg.norm(np.maximum(np.maximum(low - marks, marks - high), 0), axis=-1)

    return (distance(others) < distance(mark) + clearly).sum(axis=1)


def _overlapped(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return how many other boxes share an area with each of some, all (boxes, ends, axes)."""
    return _overlap(boxes.swapaxes(0, 1)[:, :, None], others).sum(axis=1)


def _overlap(box: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return which other boxes (boxes, ends, axes) share an area with one (ends, ..., axes)."""
    low, high = box
    return ((others[:, 1] > low) & (others[:, 0] < high)).all(axis=-1)


def _leaves(boxes: np.ndarray, frame: Bbox) -> np.ndarray:
    """Return whether boxes (boxes, ends, axes) are not wholly inside of a frame."""
    return np.asarray(((boxes <= frame.min) | (boxes >= frame.max)).any(axis=(1, 2)))


def _drawn(axes: Axes, unit: float) -> np.ndarray:
    """Return boxes around all markers and along all lines and bars of a panel, in pixels.

    They are an array of (boxes, ends, axes), the lower left end first.

    unit: pixels of a point.
    """
    around = []
    for line in axes.lines:
        at = line.get_transform().transform(line.get_xydata())
        at = at[np.isfinite(at).all(axis=1)]
        if line.get_marker() not in ("None", None, ""):
            around += [(place, AROUND * unit) for place in at]
        if line.get_linewidth() and len(at) > 1:
            ways = [np.linspace(*ends, BETWEEN) for ends in pairwise(at)]
            around += [(place, unit / 2) for place in np.concatenate(ways)]
    for bars in axes.collections:
        ends = np.array(getattr(bars, "get_segments", list)()).reshape(-1, 2, 2)
        between = np.linspace(ends[:, 0], ends[:, 1], BETWEEN).reshape(-1, 2)
        around += [(place, unit / 2) for place in bars.get_transform().transform(between)]
    boxes = [(place - reach, place + reach) for place, reach in around]
    return np.array(boxes).reshape(-1, 2, 2)
