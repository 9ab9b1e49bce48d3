"""Kinds of plots: each draws a tidy frame of marks by a specification, in small multiples.

A frame has the columns of `frames.marks`. What a series is called in it is its name in the legend.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn.objects as so
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from fbftl.findings.plots.scales import Name, finish, write
from fbftl.findings.plots.spec import HIGHEST, Look, Spec
from fbftl.findings.style import DIVERGED, LABEL_SIZE, NEUTRAL, use_style
from fbftl.ground.errors import required

EDGE = 0.5
"""Points of the edge around a marker; the usual one leaves little of a star."""

BAND = 0.15
"""Opacity of a band."""

BAR = 0.9
"""Points of the bar of an interval."""

INTERVAL = {"ymin": "low", "ymax": "high"}
"""Variables of what reaches from one end of an interval to the other."""

EACH = {"group": "mark"}
"""Variable of bars; seaborn draws one bar for all marks of a group at a place."""


def lines(frame: pd.DataFrame, spec: Spec) -> Figure:
    """Draw means as points on lines, or as points alone, with bars of a standard deviation."""

    return _multiples(frame, spec, [(_bar, INTERVAL | EACH)])


def bands(frame: pd.DataFrame, spec: Spec) -> Figure:
    """Draw means as lines in bands of one standard deviation, which end at 0 and at `HIGHEST`.

    A series of one mark in a panel, which has no band, has a bar.
    """
    alone = frame.groupby(["panel", "series"])["x"].transform("size") == 1
    bars = {f"bar_{end}": frame[end].where(alone) for end in ("low", "high")}
    bar = {"ymin": "bar_low", "ymax": "bar_high"} | EACH
    low, high = frame["low"].clip(lower=0), frame["high"].clip(upper=HIGHEST)
    frame = frame.assign(low=low.mask(alone), high=high.mask(alone), **bars)

    return _multiples(frame, spec, [(_band, INTERVAL), (_bar, bar)])


def rows(frame: pd.DataFrame, spec: Spec) -> Figure:
    """Draw a row per setting, the first on top: its mean across, with a bar of an interval.

    `low` and `high` are along the x axis. Panels below each other are as high as their rows need.
    """
    across = {"xmin": "low", "xmax": "high"} | EACH
    figure = _multiples(frame, spec, [(_bar, across)], orient="y")
    ends = frame.groupby("panel")["y"].agg(["max", "min"])
    ends = ends.loc[[key for key in spec.panels if key in ends.index]] + [0.7, -0.7]
    widest = (ends["max"].max(), ends["min"].min())
    for axes, needed in zip(figure.axes, ends.to_numpy(), strict=True):
        axes.set_ylim(*(needed if spec.columns == 1 else widest))
        axes.tick_params(axis="y", length=0)
    if spec.columns == 1:
        required(figure.axes[0].get_gridspec()).set_height_ratios(ends["max"] - ends["min"])
    return figure


def bars(frame: pd.DataFrame, spec: Spec) -> Figure:
    """Draw a group of bars per category of x, one per series, with whiskers of an interval."""
    whiskers = (so.Range(color=NEUTRAL, linewidth=0.8), so.Dodge())
    return _by_category(frame, spec, (so.Bar(alpha=1, edgewidth=0.4), so.Dodge()), whiskers)


def votes_by_category(frame: pd.DataFrame, spec: Spec) -> Figure:
    """Draw a group of bars per category of x, each the mean of its marks, which are dots."""
    dots = so.Dot(color="white", pointsize=3.5, edgecolor=NEUTRAL, edgewidth=0.8)
    mean = (so.Bar(alpha=1, edgewidth=0.4), so.Agg(), so.Dodge())
    return _by_category(frame, spec, mean, (dots, so.Dodge()))


def points_by_category(frame: pd.DataFrame, spec: Spec) -> Figure:
    """Draw a group of points per category of x, one per series, with bars of an interval."""
    dots, whiskers = so.Dot(pointsize=5.5), so.Range(linewidth=BAR)
    return _by_category(frame, spec, (dots, so.Dodge()), (whiskers, so.Dodge()), marker="series")


def pictures(images: Mapping[str, np.ndarray], size: float, under: Mapping[str, Any]) -> Figure:
    """Draw a row of pictures for each name, which stands before it.

    Args:
        images: (n, height, width, 1 or 3) of each row, black 0 and white 1.
        size: inches of a picture's side.
        under: of a row, the colour of a bar beneath each picture, or None; rows may be left out.
    """
    use_style()
    columns = max(len(row) for row in images.values())
    figure, grid = plt.subplots(
        len(images), columns, figsize=(size * columns, 1.25 * size * len(images)), squeeze=False
    )
    for axes in grid.flat:
        axes.set_axis_off()
    for line, (name, row) in zip(grid, images.items(), strict=True):
        for axes, image, colour in zip(line, row, under.get(name, [None] * len(row)), strict=False):
            axes.imshow(image, cmap="gray", vmin=0, vmax=1)
            if colour:
                axes.plot([0, 1], [-0.1, -0.1], transform=axes.transAxes, clip_on=False,
                          color=colour, linewidth=2)  # fmt: skip
        line[0].text(
            -0.15, 0.5, name, transform=line[0].transAxes, ha="right", va="center", fontsize="small"
        )
    figure.subplots_adjust(left=0, right=1, top=1, bottom=0, wspace=0.08, hspace=0.2)
    return figure


def _bar(look: Look) -> Any:
    """Return seaborn's mark of a series' intervals."""
    return so.Range(color=look.colour, linewidth=BAR)


def _band(look: Look) -> Any:
    """Return seaborn's mark of the intervals along a line."""
    return so.Band(color=look.colour, alpha=BAND, edgewidth=0)


def _marks(look: Look) -> Any:
    """Return seaborn's mark of a series: its line and markers."""
    return so.Line(
        color=look.colour, linewidth=look.width if look.line else 0, linestyle=look.line or "-",
        marker=look.marker, pointsize=look.size * (1.5 if look.marker == "*" else 1),
        fillcolor=look.filling or look.colour, edgecolor=look.edge,
        edgewidth=EDGE * (1 + bool(look.filling)),
    )  # fmt: skip


def _multiples(
    frame: pd.DataFrame, spec: Spec, below: Sequence[tuple[Callable[[Look], Any], dict[str, str]]],
    orient: str = "x",
) -> Figure:  # fmt: skip
    """Draw the intervals of every series, and its points and line over them, as the legend has.

    below: marks of intervals by a series' look, with their variables.
    """

    def add(plot: Any, drawn: pd.DataFrame) -> Any:
        for series, look in spec.looks.items():
            of_series = drawn[drawn["series"] == series]
            if of_series.empty:
                continue
            for mark, variables in below:
                low, high = (of_series[variables[end]] for end in variables if end != "group")
                if len(reaching := of_series[high > low]):
                    plot = plot.add(mark(look), data=reaching, orient=orient, **variables)
            label = series if spec.legend and series[:1] != "_" else None
            plot = plot.add(_marks(look), data=of_series, orient=orient, label=label)
        return plot

    frame = frame.astype(dict.fromkeys(("x", "y", "low", "high"), float))
    return _draw(frame, spec, add)


def _by_category(
    frame: pd.DataFrame, spec: Spec, means: Sequence[Any], further: Sequence[Any], **mapped: str
) -> Figure:
    """Draw marks of all series side by side in each category.

    means, further: a mark with its statistics and moves, the first of which the legend shows.
    mapped: properties that tell the series apart beside their colour.
    """

    def add(plot: Any, drawn: pd.DataFrame) -> Any:
        order = [series for series in spec.looks if drawn["series"].eq(series).any()]
        by_series = so.Nominal([spec.looks[series].colour for series in order], order=order)
        markers = so.Nominal([spec.looks[series].marker for series in order], order=order)
        plot = plot.scale(color=by_series, marker=markers, x=so.Nominal())
        mapped["color"] = "series"
        plot = plot.add(*means, data=drawn, legend=spec.legend > 0, **mapped)
        return plot.add(*further, data=drawn, legend=False, **mapped, **INTERVAL)

    return _draw(frame, spec, add)


def _draw(frame: pd.DataFrame, spec: Spec, add: Callable[[Any, pd.DataFrame], Any]) -> Figure:
    """Draw layers of seaborn's marks in small multiples, with legend, scales and names.

    add: adds layers of a frame to a plot of seaborn's.
    """
    use_style()
    keys = [key for key in spec.panels if frame["panel"].eq(key).any()] or list(spec.panels)
    panels, numbers = [spec.panels[key] for key in keys], {key: n for n, key in enumerate(keys)}
    frame = frame.assign(panel=frame["panel"].map(numbers).astype(str)).reset_index(drop=True)
    frame = frame.assign(mark=frame.index.astype(str))
    layout = ConstrainedLayoutEngine(wspace=0.06)
    figure = plt.figure(figsize=spec.size, layout=layout)
    plot = so.Plot(frame, x="x", y="y").on(figure)
    plot = plot.facet("panel", order=[str(n) for n in range(len(panels))], wrap=spec.columns)
    shared = {which: len({id(getattr(panel, which)) for panel in panels}) == 1 for which in "xy"}
    plot = add(plot.share(**shared), frame)
    if len(diverged := frame[frame["diverged"] > 0]):
        mark = so.Text(
            text=DIVERGED, color=NEUTRAL, fontsize=LABEL_SIZE, halign="left", valign="bottom"
        )
        plot = plot.add(mark, data=diverged, legend=False)
    plot.plot()
    for n, (axes, panel) in enumerate(zip(figure.axes, panels, strict=True)):
        of_panel = frame[frame["panel"] == str(n)]
        finish(axes, panel, {which: frame if shared[which] else of_panel for which in "xy"})
        for which in "xy":
            if not shared[which]:
                getattr(axes, f"{which}axis").label.set_visible(True)
    _place_legend(figure, spec.legend)
    write(figure, [_names(frame[frame["panel"] == str(n)], spec) for n in range(len(panels))])
    return figure


def _names(frame: pd.DataFrame, spec: Spec) -> list[Name]:
    """Return what is written at the marks of a panel."""
    named = frame[frame["name"] != ""]
    looks = [spec.looks[series] for series in named["series"]]
    at = zip(named["name"], named["x"], named["y"], looks, strict=True)
    return [Name(text, x, y, look.colour, bool(look.line)) for text, x, y, look in at]


def _place_legend(figure: Figure, columns: int) -> None:
    """Put seaborn's legend above the panels."""
    placed, figure.legends = figure.legends, []
    for legend in placed:
        labels = [text.get_text() for text in legend.get_texts()]
        handles = [handle for handle in legend.legend_handles if handle is not None]
        figure.legend(handles, labels, loc="outside upper center", ncols=columns)
