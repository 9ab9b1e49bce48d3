"""Plot accuracy against the paper's relative noise, drawn once per upload or anew every epoch."""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import line_with_band
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.style import COLUMN_WIDTH, save, use_style
from fbftl.ground.binding import run_by_name
from fbftl.ground.csv_tables import read_table

DRAWS = {"once": ("-", ""), "redrawn": ("--", ", redrawn each epoch")}


def main(table: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure from the table of the experiment; pdf, png and numbers go beside it."""
    use_style()
    points = plotted(read_table(table))
    save(draw(points, shown(methods)), svg, points)


def plotted(table: pd.DataFrame) -> pd.DataFrame:
    """Return the points to draw; without noise both ways of drawing it are the same run."""
    measured = ["sigma", "accuracy", "spread", "diverged"]
    columns = ["method", "noise_draw", *measured]
    pairs = table[["method", "noise_draw"]].drop_duplicates()
    clean = table.loc[table["sigma"] == 0, ["method", *measured]]
    noisy = table.loc[table["sigma"] > 0, columns]
    return pd.concat([pairs.merge(clean, on="method"), noisy])[columns].sort_values(columns[:3])


def draw(table: pd.DataFrame, looks: dict[str, ShownMethod]) -> plt.Figure:
    """Return the figure of mean accuracies with one standard deviation over seeds as a band."""
    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 0.8 * COLUMN_WIDTH))
    for (method, noise), rows in table.groupby(["method", "noise_draw"], sort=False):
        look, (style, ending) = looks[method], DRAWS[noise]
        line_with_band(
            axes, rows["sigma"], rows, linestyle=style, color=look.colour, marker=look.marker,
            label=look.figure_label + ending,
        )  # fmt: skip
    axes.set_ylim(0, 103)
    axes.set_xlabel("relative noise σ (in R std(g), no guarantee)")
    axes.set_ylabel("test accuracy (%)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, fontsize=7)
    return figure


if __name__ == "__main__":
    run_by_name(snakemake, main)
