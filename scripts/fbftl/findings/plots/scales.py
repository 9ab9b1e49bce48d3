"""Axes of panels: their scales, ticks and labels, all marks whole inside of them."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullLocator

from fbftl.findings.plots.spec import Panel, Scale
from fbftl.findings.style import NEUTRAL

TOWARDS = 101
"""Per cent to which distances are taken where an axis is stretched; 100 % itself has one, of 1."""

HIGHEST_DRAWN, ROOM = 100.5, 0.5
"""Per cent at which such an axis ends at most, and those above what is drawn; markers are whole."""

STRETCHED_TICKS = (0, 50, 80, 90, 95, 98, 99, 100)

CROWDED_ABOVE = 95
"""Per cent above which scores are told apart by an axis that is stretched."""

CROWDED = 0.11
"""Share of a packet loss axis within which two ticks have room for one label."""

ALMOST_ALL = 1 - 1e-9
"""Packet loss rate up to which such an axis tells rates apart."""

Transform = Callable[[np.ndarray], np.ndarray]

LINEAR = 0.1
"""Below it a `symlog` axis is linear, so that it holds 0."""


def finish(axes: Axes, panel: Panel, frame: pd.DataFrame) -> None:
    """Give a panel its title and axes.

    Args:
        axes: with everything drawn.
        panel: what it shows.
        frame: its marks.
    """
    axes.set_title(panel.title)
    for which, axis in (("x", panel.x), ("y", panel.y)):
        if axis.reference is not None:
            line = axes.axvline if which == "x" else axes.axhline
            line(axis.reference, color=NEUTRAL, linewidth=0.8, zorder=0.5)
        if axis.scale == "score":
            score_axis(axes, frame["low"].min(), frame["high"].max(), axis.label)
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


def score_axis(axes: Axes, lowest: float, highest: float, label: str) -> None:
    """Make the y axis, which holds per cents, end where scores do, with all markers whole.

    Where some are near 100 %, it is one of the logarithm of what is missing to 101 %, so that they
    are told apart. Its label says so.

    Args:
        axes: with everything drawn.
        lowest, highest: what is drawn, in per cent.
        label: of the axis.
    """
    if highest < CROWDED_ABOVE:
        room = 0.05 * (highest - lowest) + 1
        axes.set_yscale("linear")
        axes.set_ylim(max(lowest - room, -room), highest + room)
        axes.set_ylabel(label)
        return
    axes.set_yscale("function", functions=_missing(TOWARDS, HIGHEST_DRAWN))
    below = max((tick for tick in STRETCHED_TICKS if tick <= lowest), default=0)
    top = min(highest + ROOM, HIGHEST_DRAWN)
    ticks = [tick for tick in STRETCHED_TICKS if below <= tick <= top]
    axes.set_ylim(min(below, lowest), top)
    axes.set_yticks(ticks, [f"{tick}" for tick in ticks])
    axes.set_ylabel(f"{label}, stretched towards 100")
