"""Plot ROUGE-1 against packet loss rate, a line per share of clients (paper, Fig. 9)."""

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from fbftl.logs import run_job
from fbftl.runs import read_tidy
from fbftl.style import COLUMN_WIDTH, save, use_style


def main(runs: str, svg: str) -> None:
    """Draw the figure from an experiment's tidy table; pdf, png and numbers go beside it."""
    use_style()
    table = scores(read_tidy(runs))
    save(draw(table), svg, table)


def scores(runs: pd.DataFrame) -> pd.DataFrame:
    """Return mean and standard deviation over seeds of ROUGE-1 per fraction and loss rate."""
    grouped = runs.groupby(["fraction", "plr"])
    return grouped.agg(
        rouge1=("rouge1", "mean"),
        spread=("rouge1", "std"),
        seeds=("seed", "nunique"),
        offered=("offered", "mean"),
        received=("received", "mean"),
    ).reset_index()


def draw(table: pd.DataFrame) -> plt.Figure:
    """Return the figure of mean scores with one standard deviation over seeds as a band."""
    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 0.8 * COLUMN_WIDTH))
    fractions = sorted(table["fraction"].unique(), reverse=True)
    colours = sns.color_palette("viridis", len(fractions) + 1)
    for fraction, colour in zip(fractions, colours, strict=False):
        rows = table[table["fraction"] == fraction].sort_values("plr")
        arriving, mean, spread = 1 - rows["plr"], rows["rouge1"], rows["spread"].fillna(0)
        label = f"{fraction:.1%} of clients".replace(".0%", "%")
        axes.plot(arriving, mean, "-o", color=colour, markersize=3.5, label=label)
        axes.fill_between(
            arriving, mean - spread, mean + spread, color=colour, alpha=0.15, linewidth=0
        )
    rates = sorted(table["plr"].unique())
    axes.set_xscale("log")
    axes.set_xticks([1 - rate for rate in rates], [f"{rate:g}" for rate in rates])
    axes.minorticks_off()
    axes.invert_xaxis()
    axes.set_xlabel("packet loss rate (spaced by the share that arrives)")
    axes.set_ylabel("ROUGE-1 of test summaries (%)")
    axes.legend(loc="lower left", fontsize=6.5)
    return figure


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(job.input.runs, job.output[0]))
