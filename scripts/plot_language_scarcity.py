"""Plot ROUGE-1 against packet loss rate, a line per share of clients (paper, Fig. 9).

The paper's points for its own task are in grey.
"""

from typing import TYPE_CHECKING, Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings.runs import read_tidy
from fbftl.findings.style import (
    COLUMN_WIDTH,
    LABEL_SIZE,
    EndLabel,
    label_ends,
    ordered_colors,
    packet_loss_axis,
    save,
    use_style,
)
from fbftl.ground.logs import run_job

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def main(runs: str, fig9: str, svg: str, axes: dict[str, Any]) -> None:
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        runs: an experiment's tidy table.
        fig9: the published points.
        svg: path of the svg.
        axes: those of scarcity, with their defaults.
    """
    use_style()
    table = scores(read_tidy(runs, axes))
    save(draw(table, published.read(fig9)), svg, table)


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


def draw(table: pd.DataFrame, fig9: pd.DataFrame) -> "Figure":
    """Return the figure of mean scores with one standard deviation over seeds as a band."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 0.75 * COLUMN_WIDTH))
    rates = sorted(table["plr"].unique())
    ends = draw_lines(axes, table)
    draw_published(axes, fig9, max(rates))
    packet_loss_axis(axes, rates)
    axes.set_ylabel("ROUGE-1 of test summaries (%)")
    label_ends(axes, ends)
    return figure


def draw_lines(axes: "Axes", table: pd.DataFrame) -> list[EndLabel]:
    """Draw a line with its band per fraction; return the labels of their ends."""
    fractions = sorted(table["fraction"].unique(), reverse=True)
    ends = []
    for fraction, color in zip(fractions, ordered_colors(len(fractions)), strict=True):
        rows = table[table["fraction"] == fraction].sort_values("plr")
        x, mean, spread = 1 - rows["plr"], rows["rouge1"], rows["spread"].fillna(0)
        axes.plot(x, mean, color=color, marker="o", markersize=3.5)
        axes.fill_between(x, mean - spread, mean + spread, color=color, alpha=0.15, linewidth=0)
        share = "all clients" if fraction == 1 else f"{100 * fraction:g}%"
        ends.append(EndLabel(share, float(mean.iloc[-1]), color))
    return ends


def draw_published(axes: "Axes", fig9: pd.DataFrame, highest: float) -> None:
    """Draw and name the paper's curve for its own task, up to a packet loss rate."""
    points = fig9[(fig9["series"] == "plotted") & (fig9["plr"] <= highest)]
    x, rouge1 = 1 - points["plr"], points["printed"].astype(float)
    axes.plot(x, rouge1, color="#999999", linestyle=":", zorder=1)
    axes.annotate(
        "paper, SAMSum",
        (x.iloc[0], rouge1.iloc[0]),
        xytext=(2, 3),
        textcoords="offset points",
        va="bottom",
        color="#777777",
        fontsize=LABEL_SIZE - 1,
    )


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(job.input.runs, job.input.fig9, job.output.svg, job.params.axes),
    )
