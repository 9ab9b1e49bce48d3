"""Plot accuracy against epsilon, a panel per samples per client K (paper, Fig. 12)."""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import points_with_bars
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, aside, save, use_style
from fbftl.ground.binding import run_by_name
from fbftl.ground.csv_tables import read_table

UNITS = {"sample": "per sample, server not trusted", "client": "per client, server trusted"}


def main(table: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure from the table of the experiment; pdf, png and numbers go beside it."""
    use_style()
    points = plotted(read_table(table))
    save(draw(points, shown(methods)), svg, points)


def plotted(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows to draw: labels as they are; a setting that diverged has accuracy 0."""
    columns = ["method", "samples_per_client", "epsilon", "unit", "accuracy", "spread", "diverged"]
    return table.loc[table["label_epsilon"].isna(), columns]


def draw(table: pd.DataFrame, looks: dict[str, ShownMethod]) -> plt.Figure:
    """Return the figure of mean accuracies, bars of one standard deviation over seeds."""
    sizes = sorted(table["samples_per_client"].unique())
    figure, panels = plt.subplots(
        1, len(sizes), figsize=(TEXT_WIDTH, 0.36 * TEXT_WIDTH), sharey=True, squeeze=False
    )
    for axes, size in zip(panels[0], sizes, strict=True):
        panel(axes, table[table["samples_per_client"] == size], looks)
        axes.set_title(f"K = {size:.0f} samples per client")
    panels[0][0].set_ylabel("test accuracy (%)")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, fontsize=7
    )
    figure.tight_layout()
    return figure


def panel(axes: plt.Axes, table: pd.DataFrame, looks: dict[str, ShownMethod]) -> None:
    """Draw one K: a line per method, and FbFTL without noise as a level."""
    noisy = table[table["epsilon"].notna()]
    epsilons = sorted(noisy["epsilon"].unique())
    noised = [look for name, look in looks.items() if noisy["method"].eq(name).any()]
    for index, look in enumerate(noised):
        rows = noisy[noisy["method"] == look.name].sort_values("epsilon")
        points_with_bars(
            axes, aside(index, len(noised)) * rows["epsilon"], rows, color=look.colour,
            marker=look.marker, label=f"{look.figure_label} ({UNITS[rows['unit'].iloc[0]]})",
        )  # fmt: skip
    clean = table[table["epsilon"].isna() & (table["method"] == "fbftl")]
    if not clean.empty:
        level = 100 * clean["accuracy"].iloc[0]
        axes.axhline(level, color=NEUTRAL, linestyle=":", label="FbFTL without noise")
    axes.set_xscale("log")
    axes.set_xticks(epsilons, [f"{epsilon:g}" for epsilon in epsilons])
    axes.minorticks_off()
    axes.set_ylim(0, 100)
    axes.set_xlabel("privacy loss ε")


if __name__ == "__main__":
    run_by_name(snakemake, main)
