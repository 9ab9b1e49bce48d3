"""Plot DP-SGD's accuracy against epsilon, with what is published as levels of their own."""

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import points_with_bars
from fbftl.findings.story import Story, measured, moved, with_rows
from fbftl.findings.style import COLUMN_WIDTH, NEUTRAL, save, use_style
from fbftl.ground.csv_tables import read_table

COLOUR = "#0072B2"


def main(table: str, svg: str) -> None:
    """Draw the figure from the table of the experiment; pdf, png and numbers go beside it."""
    use_style()
    points = with_rows(read_table(table), table)
    save(draw(points), svg, points, story(points))


def story(table: pd.DataFrame) -> Story:
    """Return what the least ε costs."""
    clean = table[table["epsilon"].isna()].iloc[0]
    least = table.loc[table["epsilon"].idxmin()]
    where = ("without noise", f"at ε = {least['epsilon']:g}")
    return Story(
        moved("DP-SGD's accuracy", where, (measured(clean), measured(least))),
        "Test accuracy in per cent against ε of a sample, on a logarithmic axis, with bars of one "
        "standard deviation over seeds; the run without noise and what is printed of MNIST, with "
        "noise and without, are levels.",
    )


def draw(table: pd.DataFrame) -> plt.Figure:
    """Return the figure, means with bars of one standard deviation over seeds."""
    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 0.8 * COLUMN_WIDTH))
    noisy = table[table["epsilon"].notna()].sort_values("epsilon")
    clean = table[table["epsilon"].isna()].iloc[0]
    points_with_bars(
        axes, noisy["epsilon"], noisy, color=COLOUR, marker="o", label="DP-SGD, ε per sample"
    )
    axes.axhline(100 * clean["accuracy"], color=COLOUR, linestyle=":", label="without noise")
    for level, line, label in (
        (clean, "-.", "printed for MNIST, without noise"),
        (noisy.iloc[0], "--", "printed for MNIST, ε not reported"),
    ):
        axes.axhline(
            100 * level["published"], color=NEUTRAL, linestyle=line, linewidth=0.8, label=label
        )
    axes.set_xscale("log")
    axes.set_xticks(noisy["epsilon"], [f"{epsilon:g}" for epsilon in noisy["epsilon"]])
    axes.minorticks_off()
    axes.set_ylim(0, 103)
    axes.set_xlabel("privacy loss ε (log scale)")
    axes.set_ylabel("test accuracy (%)")
    axes.legend(loc="lower right", fontsize=7)
    return figure
