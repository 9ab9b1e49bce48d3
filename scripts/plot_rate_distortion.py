"""Plot accuracy against the measured uplink over all compressions, the Pareto front marked.

A panel for each share of the clients that settings were run on. Accuracy and uplink are those
after the same number of epochs for every setting and seed.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.findings.runs import read_tidy
from fbftl.findings.shown import ShownMethod, of_clients, shown
from fbftl.findings.style import COLUMN_WIDTH, NEUTRAL, mark_diverged, save, use_style
from fbftl.ground.logs import run_job
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
    """Return the points with a column that tells which are on the front of those alike."""
    fronts = [pd.Series(on_front(own), own.index) for _, own in points.groupby(alike)]
    return points.assign(**{column: pd.concat(fronts)})


def on_front(points: pd.DataFrame) -> np.ndarray:
    """Return which points no other one beats: more accurate than all that cost as little."""
    order = np.lexsort((-points["accuracy"], points["uplink_bits"]))
    accuracy = points["accuracy"].to_numpy()[order]
    best_before = np.maximum.accumulate(np.concatenate([[-np.inf], accuracy[:-1]]))
    front = np.empty(len(points), dtype=bool)
    front[order] = accuracy > best_before
    return front


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
    by_label = {label: handle for found in handles for handle, label in zip(*found, strict=True)}
    figure.legend(by_label.values(), by_label, loc="outside lower center", ncols=3, fontsize=6.5)
    return figure


def _panel(axes: Axes, points: pd.DataFrame, looks: dict[str, ShownMethod]) -> None:
    for method, look in looks.items():
        own = points[points["method"] == method]
        if own.empty:
            continue
        best = own[own["best_of_method"]].sort_values("uplink_bits")
        axes.plot(best["uplink_bits"], 100 * best["accuracy"], color=look.colour, alpha=0.6)
        axes.errorbar(
            own["uplink_bits"],
            100 * own["accuracy"],
            yerr=100 * own["spread"].fillna(0),
            fmt="none",
            ecolor=look.colour,
            elinewidth=0.6,
            alpha=0.6,
        )
        for feedback, filling in ((True, look.colour), (False, "white")):
            chosen = own[own["feedback"].eq(False) != feedback]
            axes.plot(
                chosen["uplink_bits"],
                100 * chosen["accuracy"],
                linestyle="none",
                marker=look.marker,
                color=look.colour,
                markerfacecolor=filling,
                label=look.drawn if feedback else None,
            )
        mark_diverged(axes, own["uplink_bits"], 100 * own["accuracy"], own["diverged"])
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
    run_job(snakemake, lambda job: main(job.input.table, job.output.svg, job.params.methods))
