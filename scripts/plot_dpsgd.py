"""Plot DP-SGD's accuracy against epsilon, with what is published as levels of their own."""

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.style import COLUMN_WIDTH, NEUTRAL, mark_diverged, save, use_style
from fbftl.ground.csv_tables import read_table
from fbftl.ground.logs import run_job

COLOUR = "#0072B2"


def main(table: str, svg: str) -> None:
    """Draw the figure from the table of the experiment; pdf, png and numbers go beside it."""
    use_style()
    drawn = read_table(table)
    save(draw(drawn), svg, drawn)


def draw(table: pd.DataFrame) -> plt.Figure:
    """Return the figure, means with bars of one standard deviation over seeds."""
    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 0.8 * COLUMN_WIDTH))
    noisy = table[table["epsilon"].notna()].sort_values("epsilon")
    clean = table[table["epsilon"].isna()].iloc[0]
    axes.errorbar(
        noisy["epsilon"],
        100 * noisy["accuracy"],
        100 * noisy["spread"],
        color=COLOUR,
        marker="o",
        capsize=2,
        label="DP-SGD, ε per sample",
    )
    mark_diverged(axes, noisy["epsilon"], 100 * noisy["accuracy"], noisy["diverged"])
    axes.axhline(100 * clean["accuracy"], color=COLOUR, linestyle=":", label="without noise")
    for level, line, label in (
        (clean, "-", "published for MNIST, without noise"),
        (noisy.iloc[0], "--", "published for MNIST, ε untold"),
    ):
        axes.axhline(
            100 * level["published"], color=NEUTRAL, linestyle=line, linewidth=0.8, label=label
        )
    axes.set_xscale("log")
    axes.set_xticks(noisy["epsilon"], [f"{epsilon:g}" for epsilon in noisy["epsilon"]])
    axes.minorticks_off()
    axes.set_ylim(0, 103)
    axes.set_xlabel("privacy loss ε")
    axes.set_ylabel("test accuracy (%)")
    axes.legend(loc="lower right", fontsize=7)
    return figure


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(job.input.table, job.output.svg))
