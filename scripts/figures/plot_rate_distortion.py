"""Plot accuracy against the measured uplink over all compressions, the Pareto front marked.

A panel for each share of the clients that settings were run on. Accuracy and uplink are those
after the same number of epochs for every setting and seed.
"""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import on_front, points_with_bars
from fbftl.findings.runs import read_tidy
from fbftl.findings.shown import ShownMethod, of_clients, shown
from fbftl.findings.style import COLUMN_WIDTH, NEUTRAL, save, use_style
from fbftl.ground.binding import run_by_name
from matplotlib.axes import Axes

FIXED = {
    "fixed_epochs": "epochs",
    "fixed_uplink_bits": "uplink_bits",
    "fixed_uplink_bits_spread": "uplink_bits_spread",
    "fixed_accuracy": "accuracy",
    "fixed_spread": "spread",
}
"""Columns of the table that are drawn, and their names here."""


def main(table: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure from the table of compression; pdf, png and numbers go beside it."""
    use_style()
    points = read_tidy(table)[
        ["method", "fraction", "q", "r", "feedback", *FIXED, "seeds", "diverged"]
    ]
    points = points.rename(columns=FIXED)
    points = marked(
        marked(points, "best_of_method", ["fraction", "method"]), "pareto", ["fraction"]
    )
    columns = ["method", "fraction", "q", "r", "feedback", *FIXED.values(), "seeds", "diverged"]
    save(draw(points, shown(methods)), svg, points[[*columns, "best_of_method", "pareto"]])


def marked(points: pd.DataFrame, column: str, alike: list[str]) -> pd.DataFrame:
    """Return the points with a column that tells which are on the front of those alike.

    Of points that coincide only the first is.
    """
    fronts = []
    for _, rows in points.groupby(alike):
        distinct = rows.drop_duplicates(["uplink_bits", "accuracy"])
        fronts += [*distinct.index[on_front(distinct["uplink_bits"], distinct["accuracy"])]]
    return points.assign(**{column: points.index.isin(fronts)})


def draw(points: pd.DataFrame, looks: dict[str, ShownMethod]) -> plt.Figure:
    """Return the figure: a marker per setting, a line through the best of each method."""
    shares = sorted(points["fraction"].unique(), reverse=True)
    figure, panels = plt.subplots(
        1,
        len(shares),
        figsize=(COLUMN_WIDTH * (1 if len(shares) == 1 else 1.9), 0.95 * COLUMN_WIDTH),
        sharey=True,
        layout="constrained",
        squeeze=False,
    )
    for axes, share in zip(panels[0], shares, strict=True):
        _panel(axes, points[points["fraction"] == share], looks)
        if len(shares) > 1:
            title = of_clients(share).removeprefix(", ") or "all clients"
            axes.set_title(title, loc="left", fontsize="medium")
        axes.set_xlabel(f"uplink in {points['epochs'].iloc[0]} epochs (bit)")
    panels[0][0].set_ylabel("test accuracy then (%)")
    # A bar may reach beyond what an accuracy can be; the axis does not. What one panel is given
    # holds for all, so that all are drawn before.
    panels[0][0].set_ylim(top=min(panels[0][0].get_ylim()[1], 101))
    handles = [axes.get_legend_handles_labels() for axes in panels[0]]
    by_label = {
        label: handle for labelled in handles for handle, label in zip(*labelled, strict=True)
    }
    figure.legend(by_label.values(), by_label, loc="outside lower center", ncols=3, fontsize=6.5)
    return figure


def _panel(axes: Axes, points: pd.DataFrame, looks: dict[str, ShownMethod]) -> None:
    for method, look in looks.items():
        rows = points[points["method"] == method]
        if rows.empty:
            continue
        best = rows[rows["best_of_method"]].sort_values("uplink_bits")
        axes.plot(best["uplink_bits"], 100 * best["accuracy"], color=look.colour, alpha=0.6)
        points_with_bars(
            axes, rows["uplink_bits"], rows, fmt="none", ecolor=look.colour, elinewidth=0.6,
            alpha=0.6, capsize=0,
        )  # fmt: skip
        for feedback, filling in ((True, look.colour), (False, "white")):
            chosen = rows[rows["feedback"].eq(False) != feedback]
            axes.plot(
                chosen["uplink_bits"],
                100 * chosen["accuracy"],
                linestyle="none",
                marker=look.marker,
                color=look.colour,
                markerfacecolor=filling,
                label=look.figure_label if feedback else None,
            )
    front = points[points["pareto"]].sort_values("uplink_bits")
    axes.plot(
        front["uplink_bits"],
        100 * front["accuracy"],
        "o",
        markersize=8,
        markeredgewidth=0.8,
        markerfacecolor="none",
        color=NEUTRAL,
        label="Pareto front",
    )
    if points["feedback"].eq(False).any():
        axes.plot([], [], "s", color=NEUTRAL, markerfacecolor="white", label="no error feedback")
    axes.set(xscale="log")


if __name__ == "__main__":
    run_by_name(snakemake, main)
