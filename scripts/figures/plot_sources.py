"""Plot an experiment under several source networks: a column per setting, a point per source.

Points are means over the seeds of one source, each with a bar of one standard deviation of these
seeds: how far the points of a column lie apart is what sources make, beside what their bars do.
"""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.findings.marks import points_with_bars
from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.story import Story, percent, with_rows
from fbftl.findings.style import CYCLE, TEXT_WIDTH, save, use_style

WIDTH = 0.7
"""Of a column's points together; columns are 1 apart."""


def main(
    runs: list[str], svg: str, varying: Sequence[str], axes: dict[str, Any],
    methods: list[dict[str, Any]],
) -> None:  # fmt: skip
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        runs: the experiment's tidy table under each source, in their order.
        svg: path of the svg.
        varying: the axes that vary.
        axes: those of them that are not the method, with their defaults.
        methods: the methods of the runs.
    """
    use_style()
    tables = [with_rows(read_tidy(path, axes), path) for path in runs]
    table, looks = by_source(tables, varying), shown(methods)
    save(draw(table, varying, looks), svg, table, story(table, varying, looks))


def story(table: pd.DataFrame, varying: Sequence[str], looks: dict[str, ShownMethod]) -> Story:
    """Return the setting whose accuracy sources change most."""
    ranges = table.groupby("setting")["accuracy"].agg(["min", "max"])
    widest = (ranges["max"] - ranges["min"]).idxmax()
    row = table[table["setting"] == widest].iloc[0]
    label = ", ".join(named(row[axis], axis, looks) for axis in list(varying) or ["method"])
    low, high = ranges.loc[widest]
    return Story(
        f"Over {table['source'].nunique()} source networks {label} varies most: between "
        f"{percent(low)} and {percent(high)}",
        "Test accuracy in per cent, a column per setting and in it a point per source network, the "
        "mean over the seeds of that source with a bar of their standard deviation.",
    )


def by_source(tables: Sequence[pd.DataFrame], varying: Sequence[str]) -> pd.DataFrame:
    """Return a row per setting and source, sources counted from 0."""
    by = ["setting", *dict.fromkeys(["method", *varying])]
    rows = [mean_and_spread(runs, by).assign(source=n) for n, runs in enumerate(tables)]
    order = [*by[1:], "source"]
    return pd.concat(rows).sort_values(order, na_position="first", ignore_index=True)


def draw(table: pd.DataFrame, varying: Sequence[str], looks: dict[str, ShownMethod]) -> plt.Figure:
    """Return the figure."""
    figure, axes = plt.subplots(figsize=(TEXT_WIDTH, 3.6), layout="constrained")
    settings = table.drop_duplicates("setting")
    column = dict(zip(settings["setting"], range(len(settings)), strict=True))
    sources = sorted(table["source"].unique())
    offsets = np.linspace(-WIDTH / 2, WIDTH / 2, len(sources))
    for source, offset, colour in zip(sources, offsets, repeated(CYCLE, len(sources)), strict=True):
        rows = table[table["source"] == source]
        points_with_bars(
            axes, rows["setting"].map(column) + offset, rows, color=colour, marker="o",
            markersize=3, linestyle="none",
        )  # fmt: skip
    shown_axes = list(varying) or ["method"]
    labels = [
        ", ".join(named(row[axis], axis, looks) for axis in shown_axes)
        for row in settings.to_dict("records")
    ]
    axes.set_xticks(range(len(labels)), labels, rotation=60, ha="right", rotation_mode="anchor")
    axes.set(xlabel=", ".join(shown_axes).replace("_", " "), ylabel="test accuracy (%)")
    return figure


def repeated(colours: Sequence[str], count: int) -> list[str]:
    """Return so many colours, from the first on again where there are fewer."""
    return [colours[n % len(colours)] for n in range(count)]


def named(value: Any, axis: str, looks: dict[str, ShownMethod]) -> str:
    """Return how the figure writes the value of an axis."""
    if axis == "method":
        return looks[value].figure_label
    if isinstance(value, float):
        return "none" if pd.isna(value) else f"{value:g}"
    return str(value)
