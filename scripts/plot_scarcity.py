"""Plot accuracy against packet loss rate, a line per share of clients (paper, Fig. 8).

One panel per meaning of a loss: lost for good, and the public script's reshuffling (audit row A2),
with the paper's points for its own task in grey.
"""

from typing import TYPE_CHECKING, Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.style import (
    LABEL_SIZE,
    TEXT_WIDTH,
    EndLabel,
    label_ends,
    mark_diverged,
    ordered_colors,
    packet_loss_axis,
    save,
    use_style,
)
from fbftl.ground.logs import run_job

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS = {
    "persistent": "A lost upload is lost for good",
    "reshuffled": "Lost positions, reshuffled (public script)",
}


def main(runs: str, fig8: str, svg: str, axes: dict[str, Any]) -> None:
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        runs: an experiment's tidy table.
        fig8: the published points.
        svg: path of the svg.
        axes: those of scarcity, with their defaults.
    """
    use_style()
    table = mean_and_spread(read_tidy(runs, axes), ["fraction", "plr", "loss"])
    save(draw(table, published.read(fig8)), svg, table)


def draw(table: pd.DataFrame, fig8: pd.DataFrame) -> "Figure":
    """Return the figure of mean accuracies with one standard deviation over seeds as a band."""
    import matplotlib.pyplot as plt

    panels = [loss for loss in PANELS if (table["loss"] == loss).any()]
    figure, grid = plt.subplots(
        1, len(panels), figsize=(TEXT_WIDTH, 2.6), sharey=True, squeeze=False
    )
    figure.subplots_adjust(wspace=0.3)
    ends = {}
    rates = sorted(table["plr"].unique())
    for axes, loss in zip(grid[0], panels, strict=True):
        # Without loss the two meanings are the same run; both panels begin there.
        shown = table[(table["loss"] == loss) | (table["plr"] == 0)]
        draw_published(axes, fig8, rates)
        ends[axes] = draw_lines(axes, shown)
        axes.set_title(PANELS[loss], loc="left", fontsize="medium")
        packet_loss_axis(axes, rates)
    for axes, labels in ends.items():
        label_ends(axes, labels)
    name_published(grid[0][0], fig8, rates)
    grid[0][0].set_ylabel("test accuracy (%)")
    return figure


def draw_lines(axes: "Axes", table: pd.DataFrame) -> list[EndLabel]:
    """Draw a line with its band per fraction; return the labels of their ends."""
    fractions = sorted(table["fraction"].unique(), reverse=True)
    ends = []
    for fraction, color in zip(fractions, ordered_colors(len(fractions)), strict=True):
        rows = table[table["fraction"] == fraction].sort_values("plr")
        x, mean = 1 - rows["plr"], 100 * rows["accuracy"]
        spread = 100 * rows["spread"].fillna(0)
        axes.plot(x, mean, color=color, marker="o", markersize=3.5)
        low, high = (mean - spread).clip(lower=0), (mean + spread).clip(upper=100)
        axes.fill_between(x, low, high, color=color, alpha=0.15, linewidth=0)
        mark_diverged(axes, x, mean, rows["diverged"])
        share = "all clients" if fraction == 1 else f"{100 * fraction:g}%"
        ends.append(EndLabel(share, float(mean.iloc[-1]), color))
    return ends


def draw_published(axes: "Axes", fig8: pd.DataFrame, rates: list[float]) -> None:
    """Draw the paper's curve for all samples of its own task, as far as the axis goes."""
    points = published_until(fig8, max(rates))
    axes.plot(1 - points["plr"], points["accuracy"], color="#999999", linestyle=":", zorder=1)


def name_published(axes: "Axes", fig8: pd.DataFrame, rates: list[float]) -> None:
    """Write whose the dotted line is above its end."""
    end = published_until(fig8, max(rates))["accuracy"].iloc[-1]
    place = (1 - max(rates), end + 2.5)
    axes.text(*place, "paper, CIFAR-10", ha="right", color="#777777", fontsize=LABEL_SIZE - 1)


def published_until(fig8: pd.DataFrame, rate: float) -> pd.DataFrame:
    """Return the plotted points up to a packet loss rate, accuracy in percent."""
    points = fig8[(fig8["series"] == "plotted") & (fig8["plr"] <= rate)]
    return points.assign(accuracy=100 * points["printed"].astype(float))


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(job.input.runs, job.input.fig8, job.output.svg, job.params.axes),
    )
