"""A figure as data: the scales of its panels, the look of its series, and frames of marks."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import pandas as pd

from fbftl.findings.runs import read_tidy
from fbftl.findings.shown import ShownMethod
from fbftl.findings.style import COLUMN_WIDTH, NEUTRAL, ordered_colors
from fbftl.ground.errors import UserError

HIGHEST = 100
"""What accuracies and ROUGE can reach as they are drawn; their lowest is 0."""


ACCURACY = "test accuracy (%)"
"""Label of the scale that most figures have."""


@dataclass(frozen=True)
class Scale:
    """An axis of a panel.

    label: quantity and unit; a logarithmic scale is added to it.
    scale: `linear`, `log`, `log plain` with plain numbers, `log 1-2-5` with more
        of them, `log2`, `symlog`, `categories`, `score`
        (per cents, stretched where they crowd below 100) or `packet loss`.
    ticks: places, or their labels by place; matplotlib's own without any.
    limits: ends, None where the data decide.
    margin: share of the panel that is left free at each end.
    reference: where a thin line crosses the axis.
    """

    label: str = ""
    scale: str = "linear"
    ticks: Sequence[float] | Mapping[float, str] = ()
    limits: tuple[float | None, float | None] = (None, None)
    margin: float | None = None
    reference: float | None = None


@dataclass(frozen=True)
class Panel:
    """One of the small multiples of a figure."""

    x: Scale
    y: Scale
    title: str = ""


@dataclass(frozen=True)
class Look:
    """How a series is drawn.

    marker, line: as matplotlib writes them, empty for none.
    filling: colour inside of markers; the series' own without one.
    width, size: points of the line and of a marker.
    """

    colour: Any = NEUTRAL
    marker: str = "o"
    line: str = "-"
    filling: str = ""
    width: float = 1.4
    size: float = 5.5

    @classmethod
    def of(cls, method: ShownMethod, **other: Any) -> "Look":
        """Return the look of a method, with fields that differ from it."""
        return cls(method.colour, method.marker, **other)

    @property
    def edge(self) -> Any:
        """Colour around markers: white, as they lie on lines.

        A marker of lines alone, such as x, is all edge, and so keeps its colour there, as letters
        such as $V$ and hollow markers do.
        """
        from matplotlib.lines import Line2D

        is_plain = self.marker in Line2D.filled_markers and not self.filling
        return "white" if is_plain else self.colour


def in_order(names: Sequence[str], **fields: Any) -> dict[str, Look]:
    """Return looks of series along an ordered axis such as a fraction, dark to light.

    Their markers differ, unless the fields have one.
    """
    series = zip(names, ordered_colors(len(names)), cycle("os^vDPX"), strict=False)
    return {name: Look(colour, **{"marker": marker} | fields) for name, colour, marker in series}


PRINTED = Look("#777777", "D", ":", filling="white", width=1.0, size=4)
"""How printed numbers are drawn, and nothing that is measured here: hollow diamonds, dotted."""


@dataclass(frozen=True)
class Spec:
    """How a tidy frame is drawn.

    looks: of the series by their name, in the order of legend and drawing.
    panels: by what the frame calls them, in their order; those without a row are left out.
    size: inches of the figure.
    columns: panels side by side; all without a number.
    legend: entries side by side; no legend without a number.
    """

    looks: Mapping[str, Look]
    panels: Mapping[Any, Panel]
    size: tuple[float, float] = (COLUMN_WIDTH, 0.9 * COLUMN_WIDTH)
    columns: int | None = None
    legend: int = field(default=0)


def with_rows(table: pd.DataFrame, path: object) -> pd.DataFrame:
    """Return a table that a figure is drawn of.

    Raises:
        UserError: if it has no row.
    """
    if table.empty:
        raise UserError(
            f"{path} has no row, so that there is nothing to draw; give its experiment settings"
        )
    return table


def to_draw(path: str | Path, axes: Mapping[str, Any] | None = None) -> pd.DataFrame:
    """Return a table that a figure is drawn of.

    Args:
        path: of the table.
        axes: axes that must have a column, with their defaults.

    Raises:
        UserError: as `read_tidy`, or if it has no row.
    """
    return with_rows(read_tidy(path, axes), path)


def marks(
    rows: pd.DataFrame, x: Any, y: Any = "accuracy", *,
    series: Any = "", panel: Hashable = "", name: Any = "", factor: float = 100,
) -> pd.DataFrame:  # fmt: skip
    """Return a row per mark in the columns that all kinds of plots read.

    Columns: panel, series, x, y, `low` and `high` (one standard deviation to either side of y,
    where the rows have one; of a share at most to 0 and 100 %), `diverged` (seeds that did) and
    `name` (what is written at the mark).

    Args:
        rows: of a table.
        x, y: a column, or a value of each row.
        series, panel, name: a value of each row, or one of all.
        factor: what y is multiplied by, 100 for a share in per cent.
    """
    mean = factor * (rows[y] if isinstance(y, str) else y)
    column = f"{y}_spread" if isinstance(y, str) and f"{y}_spread" in rows else "spread"
    reach = factor * pd.to_numeric(rows[column]).fillna(0) if column in rows else 0.0
    drawn = {"x": rows[x] if isinstance(x, str) else x, "y": mean}
    ends = (0, HIGHEST) if factor == HIGHEST and column in rows else (None, None)
    drawn |= {"low": (mean - reach).clip(lower=ends[0]), "high": (mean + reach).clip(upper=ends[1])}
    drawn |= {"series": series, "name": name, "diverged": rows.get("diverged", 0)}
    frame = pd.DataFrame(drawn, index=rows.index)
    return frame.assign(panel=[panel] * len(rows) if isinstance(panel, tuple) else panel)


def level(y: float, frame: pd.DataFrame, series: str, **other: Any) -> pd.DataFrame:
    """Return the marks of a horizontal line across all that a frame has.

    Args:
        y: its height.
        frame: of marks.
        series: its name.
        other: further columns.
    """
    ends = pd.DataFrame({"x": [frame["x"].min(), frame["x"].max()], "y": y, "low": y, "high": y})
    return ends.assign(**({"panel": "", "name": "", "diverged": 0} | other), series=series)


def named_at_ends(frame: pd.DataFrame, names: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Return a frame in which the last mark of each line has its series' name, or the one given."""
    ordered = frame.sort_values("x", kind="stable")
    last = ordered.groupby(["panel", "series"], sort=False).tail(1).index
    written = frame["series"] if names is None else frame["series"].map(names).fillna("")
    return frame.assign(name=written.where(frame.index.isin(last), frame["name"]))


def with_front(
    frame: pd.DataFrame, is_on_it: pd.Series, looks: Mapping[str, Look]
) -> tuple[pd.DataFrame, dict[str, Look]]:
    """Return marks and looks with the line of each panel's Pareto front, as far as marks reach.

    Args:
        frame: of marks.
        is_on_it: of each mark.
        looks: of the series.
    """
    name = "Pareto front"
    steps = [
        stepped(of_panel[is_on_it[of_panel.index]], of_panel["x"].max()).assign(series=name)
        for _, of_panel in frame.groupby("panel")
    ]
    frame = pd.concat([*steps, frame], ignore_index=True)
    return frame, {name: Look(NEUTRAL, "", width=0.8), **looks}


def stepped(front: pd.DataFrame, furthest: float) -> pd.DataFrame:
    """Return a front's marks with the corners of a line that rises where a better one begins.

    Args:
        front: marks, any order.
        furthest: abscissa up to which the last one stays the best.
    """
    front = front.sort_values("x")
    corners = front.assign(x=front["x"].shift(-1, fill_value=furthest))
    steps = pd.concat([front, corners]).sort_values(["y", "x"], kind="stable")
    return steps.assign(low=steps["y"], high=steps["y"], diverged=0, name="")


def alongside(
    frame: pd.DataFrame, order: Sequence[str], step: float = 0, factor: float = 1
) -> pd.DataFrame:
    """Return a frame whose series are set a little beside each other, as all have the same x.

    Args:
        frame: of marks.
        order: the series from the left; others stay.
        step: what is added to x between neighbours.
        factor: what x is multiplied by between neighbours, on a logarithmic axis.
    """
    places = frame["series"].map({series: place for place, series in enumerate(order)})
    places = (places - (len(order) - 1) / 2).fillna(0)
    return frame.assign(x=frame["x"] * factor**places + step * places)
