"""Figures of experiments of one's own: a score along an axis, and under several source networks.

Each function draws one; pdf, png and its numbers go beside the svg.
"""

from collections.abc import Sequence
from itertools import cycle
from typing import Any

import pandas as pd
from fbftl.findings.plots.kinds import lines, points_by_category
from fbftl.findings.plots.spec import Look, Panel, Scale, Spec, level, marks, to_draw
from fbftl.findings.runs import mean_and_spread
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.steps import Axes, Methods, Paths
from fbftl.findings.style import TEXT_WIDTH, cycled_colors, save
from fbftl.findings.wording import axis_name, words
from pandas.api.types import is_bool_dtype, is_numeric_dtype

SCORES = {
    "test_accuracy": ("test accuracy (%)", 100),
    "balanced_accuracy": ("balanced accuracy (%)", 100),
    "rouge1": ("ROUGE-1 (%)", 1),
}
"""Titles of what the table may have, and what makes a percentage of it."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
"""Of lines in turn; there are seven and ten colours, so that seventy lines differ."""

DECADES = 30
"""Largest over smallest value from which on an axis is logarithmic."""


def sweep(table: str, svg: str, along: str, varying: Sequence[str], methods: Methods) -> None:
    """Draw the score along an experiment's longest numeric axis, a line for each combination of
    the other axes that vary.

    A setting that leaves the axis at a default of none, such as no epsilon, is a dotted level.
    Where no axis has two numbers, the axis has categories, each with a point for each combination.

    Args:
        table: path of the experiment's table.
        svg: path of the svg.
        along: the axis that lines run along.
        varying: all axes that vary.
        methods: the methods of the runs.
    """
    rows, methods_shown = to_draw(table), shown(methods)
    score = next(name for name in SCORES if name in rows)
    title, factor = SCORES[score]
    others = [axis for axis in varying if axis != along]
    labels = rows.apply(lambda row: label(row, others, methods_shown), axis=1)
    names = list(dict.fromkeys(labels))
    looks = dict(zip(names, map(Look, cycled_colors(len(names)), cycle(MARKERS)), strict=True))
    is_number = is_numeric_dtype(rows[along]) and not is_bool_dtype(rows[along])
    if not is_number or rows[along].nunique() < 2:  # no two of its values are different numbers
        places = rows[along].map(lambda value: named(along, value, methods_shown), na_action=None)
        frame = marks(rows, places, score, series=labels, factor=factor)
        panel = Panel(Scale(axis_name(along), "categories"), Scale(title))
        draw = points_by_category
    else:
        numeric = rows[along].notna()
        frame = marks(rows[numeric], along, score, series=labels[numeric], factor=factor)
        levels = []
        for height, name in zip(rows.loc[~numeric, score], labels[~numeric], strict=True):
            without = f"{name}, without {axis_name(along)}".removeprefix(", ")
            looks[without] = Look(looks[name].colour, "", ":")
            levels.append(level(factor * height, frame, without))
        values, frame = frame["x"], pd.concat([frame, *levels])
        spans = values.min() > 0 and values.max() >= DECADES * values.min()
        panel = Panel(Scale(axis_name(along), "log" if spans else "linear"), Scale(title))
        draw = lines
    spec = Spec(looks, {"": panel}, (0.75 * TEXT_WIDTH, 3.4), legend=2 * any(looks))
    name = title.removesuffix(" (%)")
    save(draw(frame, spec), svg, rows, f"{name[0].upper()}{name[1:]} along {axis_name(along)}")


def label(row: pd.Series, others: Sequence[str], methods: dict[str, ShownMethod]) -> str:
    """Return what tells a row apart in a legend.

    An axis that it leaves at a default of none is not in it.
    """
    names = [named(axis, row[axis], methods) for axis in others if pd.notna(row[axis])]
    return ", ".join(names) or (f"without {' and '.join(map(axis_name, others))}" if others else "")


def named(axis: str, value: Any, methods: dict[str, ShownMethod]) -> str:
    """Return how a legend names the value of an axis."""
    if pd.isna(value):
        return f"without {axis_name(axis)}"
    if axis == "method":
        return methods[value].figure_label
    return words(axis, f"{value:g}" if isinstance(value, float) else str(value))


def sources(runs: Paths, svg: str, varying: Sequence[str], axes: Axes, methods: Methods) -> None:
    """Draw an experiment under several source networks: a group per setting, a point per source.

    Points are means over the seeds of one source, each with a bar of one standard deviation of
    these seeds: how far the points of a group lie apart is what sources make, beside what their
    bars do.

    Args:
        runs: the experiment's tidy table under each source, in their order.
        svg: path of the svg.
        varying: the axes that vary.
        axes: those of them that are not the method, with their defaults.
        methods: the methods of the runs.
    """
    table = by_source([to_draw(path, axes) for path in runs], varying)
    axes_shown = list(varying) or ["method"]
    settings = [
        ",\n".join(named(axis, row[axis], shown(methods)) for axis in axes_shown)
        for row in table.to_dict("records")
    ]
    names = [f"source {number}" for number in range(len(runs))]
    looks = dict(zip(names, map(Look, cycled_colors(len(names))), strict=True))
    frame = marks(table, pd.Series(settings), series="source " + table["source"].astype(str))
    x = Scale(", ".join(axes_shown).replace("_", " "), "categories")
    spec = Spec(looks, {"": Panel(x, Scale("test accuracy (%)"))}, (TEXT_WIDTH, 3.6), legend=6)
    figure = points_by_category(frame, spec)
    figure.axes[0].tick_params(axis="x", rotation=60)
    save(figure, svg, table, "Accuracy under several source networks")


def by_source(tables: Sequence[pd.DataFrame], varying: Sequence[str]) -> pd.DataFrame:
    """Return a row per setting and source, sources counted from 0."""
    by = list(dict.fromkeys(["method", *varying]))
    rows = [mean_and_spread(t, ["setting", *by]).assign(source=n) for n, t in enumerate(tables)]
    return pd.concat(rows).sort_values([*by, "source"], na_position="first", ignore_index=True)
