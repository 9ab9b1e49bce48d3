"""Plot packet loss by ledger on the curves of Eq. (18), and the accuracy that is left."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.findings.runs import read_tidy
from fbftl.findings.style import METHODS, NEUTRAL, TEXT_WIDTH, save, use_style
from fbftl.ground.logs import run_job
from fbftl.messages.channel import packet_loss_rate
from matplotlib.axes import Axes

POINTS = 201

SPREADING = 1.15
"""Factor in block loss rate between neighbouring methods' accuracies."""


def main(table: str, svg: str) -> None:
    """Draw the figure from the table of packet loss; pdf, png and numbers go beside it."""
    use_style()
    rows = read_tidy(table)
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(TEXT_WIDTH, 2.6), layout="constrained", sharex=True
    )
    draw_losses(left, rows)
    draw_accuracy(right, rows)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=7)
    save(figure, svg, rows)


def draw_losses(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw Eq. (18) as lines, what the ledgers counted as markers."""
    lossy = rows[rows["blr"] > 0]
    rates = np.geomspace(lossy["blr"].min() / 3, lossy["blr"].max() * 3, POINTS)
    for method, own in _by_method(lossy):
        look = METHODS[method]
        # FL sends as much as FTL_f, whose line shows through.
        dashes = (4, 4) if method == "fl" else (None, None)
        expected = packet_loss_rate(rates, own["blocks"].iloc[0])
        axes.plot(rates, 100 * expected, color=look.color, dashes=dashes)
        _markers(axes, own, "plr_ledger", label=look.label)
    for style, text in (("s", "independent"), ("x", "in bursts"), ("none", "retransmitted")):
        filling = "white" if style == "none" else NEUTRAL
        marker = "s" if style == "none" else style
        axes.plot([], [], marker, color=NEUTRAL, markerfacecolor=filling, label=text)
    axes.set(xscale="log", xlabel="block loss rate", ylabel="packet loss rate (%)", ylim=(-3, 103))
    axes.set_title("Ledger (markers) and Eq. (18) (lines)", loc="left", fontsize="medium")


def draw_accuracy(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw accuracies; a dotted line is the method's accuracy without loss."""
    methods = list(_by_method(rows))
    for place, (method, own) in enumerate(methods):
        look = METHODS[method]
        for clean in own.loc[own["blr"] == 0, "accuracy"]:
            axes.axhline(100 * clean, color=look.color, linestyle=":", linewidth=1)
        # Side by side, for all methods have the same rates.
        aside = SPREADING ** (place - (len(methods) - 1) / 2)
        lossy = own[own["blr"] > 0].assign(blr=lambda kept, by=aside: kept["blr"] * by)
        axes.errorbar(
            lossy["blr"],
            100 * lossy["accuracy"],
            yerr=100 * lossy["spread"].fillna(0),
            fmt="none",
            ecolor=look.color,
            elinewidth=0.8,
        )
        _markers(axes, lossy, "accuracy")
    axes.set(xscale="log", xlabel="block loss rate", ylabel="test accuracy (%)")
    axes.set_title("Accuracy; dotted without loss", loc="left", fontsize="medium")


def _by_method(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield every method's rows, in the order of figures."""
    for method in METHODS:
        own = rows[rows["method"] == method]
        if len(own):
            yield method, own


def _markers(axes: Axes, own: pd.DataFrame, column: str, label: str | None = None) -> None:
    """Draw one method's rows: filled if lost for good, a cross if in bursts, hollow if resent."""
    for index, (_, row) in enumerate(own.iterrows()):
        look = METHODS[row["method"]]
        axes.plot(
            row["blr"],
            100 * row[column],
            "x" if row["burst"] > 1 else look.marker,
            color=look.color,
            markerfacecolor="white" if row["retransmissions"] else look.color,
            label=label if index == 0 else None,
        )


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(job.input.table, job.output.svg))
