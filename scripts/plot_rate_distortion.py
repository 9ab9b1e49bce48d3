"""Plot accuracy against the measured uplink over all compressions, the Pareto front marked.

Both are those after the same number of epochs for every setting and seed.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.findings.runs import read_tidy
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.style import COLUMN_WIDTH, NEUTRAL, mark_diverged, save, use_style
from fbftl.ground.logs import run_job

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
    points = read_tidy(table)[["method", "q", "r", "feedback", *FIXED, "seeds", "diverged"]]
    points = points.rename(columns=FIXED)
    points["best_of_method"] = False
    for _, own in points.groupby("method"):
        points.loc[own.index, "best_of_method"] = on_front(own)
    points["pareto"] = on_front(points)
    columns = ["method", "q", "r", "feedback", *FIXED.values(), "seeds", "diverged"]
    save(draw(points, shown(methods)), svg, points[[*columns, "best_of_method", "pareto"]])


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
    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 0.95 * COLUMN_WIDTH), layout="constrained")
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
                look.marker,
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
    epochs = points["epochs"].iloc[0]
    axes.set(xscale="log", xlabel=f"uplink of all clients in {epochs} epochs (bit)")
    axes.set_ylabel("test accuracy then (%)")
    # A bar may reach beyond what an accuracy can be; the axis does not.
    axes.set_ylim(top=min(axes.get_ylim()[1], 101))
    figure.legend(loc="outside lower center", ncols=3, fontsize=6.5)
    return figure


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(job.input.table, job.output.svg, job.params.methods))
