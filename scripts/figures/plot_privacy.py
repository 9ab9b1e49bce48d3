"""Plot accuracy against epsilon, a panel per samples per client K (paper, Fig. 12)."""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import points_with_bars
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.story import Story, measured, moved, with_rows
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, aside, save, use_style
from fbftl.ground.csv_tables import read_table

UNITS = {"sample": "per sample, server not trusted", "client": "per client, server trusted"}


def main(table: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure from the table of the experiment; pdf, png and numbers go beside it."""
    use_style()
    points, looks = plotted(with_rows(read_table(table), table)), shown(methods)
    save(draw(points, looks), svg, points, story(points, looks))


def story(points: pd.DataFrame, looks: dict[str, ShownMethod]) -> Story:
    """Return what the least and the most ε leave the method with noise at most settings."""
    noisy = points[points["epsilon"].notna()]
    name = noisy["method"].mode().iloc[0] if "fbftl" not in set(noisy["method"]) else "fbftl"
    rows = noisy[(noisy["method"] == name)]
    rows = rows[rows["samples_per_client"] == rows["samples_per_client"].min()]
    most, least = rows.loc[rows["epsilon"].idxmax()], rows.loc[rows["epsilon"].idxmin()]
    where = tuple(f"at ε = {row['epsilon']:g}" for row in (most, least))
    return Story(
        moved(f"{looks[name].figure_label}'s accuracy", where, (measured(most), measured(least))),
        "Test accuracy in per cent against ε, on a logarithmic axis, a panel per number of samples "
        "per client K, a line per method with bars of one standard deviation, methods set a little "
        "beside each other; FbFTL's ε is per sample and holds against the server, the others' is "
        "per client and trusts it. FbFTL without noise is dotted.",
    )


def plotted(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows to draw: labels as they are; a setting that diverged has accuracy 0."""
    columns = ["method", "samples_per_client", "epsilon", "unit", "accuracy", "spread", "diverged"]
    columns += ["seeds"]
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
    axes.set_ylim(-3, 103)
    axes.set_xlabel("privacy loss ε (log scale)")
