"""Plot packet loss by ledger on the curves of Eq. (18), and what it does to accuracy."""

from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.findings.marks import mark_diverged
from fbftl.findings.runs import read_tidy
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, aside, save, use_style
from fbftl.ground.binding import run_by_name
from fbftl.messages.channel import GILBERT_ELLIOTT, packet_loss_rate
from matplotlib.axes import Axes

POINTS = 201
SMALL = 3
"""Size of a marker for a share of the clients, in points."""


def main(table: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure from the table of packet loss; pdf, png and numbers go beside it."""
    use_style()
    rows = read_tidy(table)
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(TEXT_WIDTH, 2.6), layout="constrained", sharex=True
    )
    looks = shown(methods)
    draw_losses(left, rows, looks)
    draw_differences(right, rows, looks)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=8)
    save(figure, svg, rows)


def draw_losses(axes: Axes, rows: pd.DataFrame, looks: dict[str, ShownMethod]) -> None:
    """Draw Eq. (18) as lines, what the ledgers counted as markers.

    Losses in bursts follow another formula, a dash at each of their markers.
    """
    lossy = rows[rows["blr"] > 0]
    rates = np.geomspace(lossy["blr"].min() / 3, lossy["blr"].max() * 3, POINTS)
    seen = set()
    for look, method_rows in _by_method(lossy, looks):
        blocks = method_rows["blocks"].iloc[0]
        # Whose line shows through, as FL's under FTL_f's, sends as much.
        dashes = (4, 4) if blocks in seen else (None, None)
        seen.add(blocks)
        expected = packet_loss_rate(rates, blocks)
        axes.plot(rates, 100 * expected, color=look.colour, dashes=dashes)
        _markers(axes, method_rows, look, "plr_ledger", label=look.figure_label)
        bursts = method_rows[method_rows["burst"] > 1]
        axes.plot(bursts["blr"], 100 * bursts["plr_formula"], "_", color=look.colour, markersize=11)
    axes.plot([], [], "_", color=NEUTRAL, markersize=11, label=f"bursts by {GILBERT_ELLIOTT}")
    for style, text in (("s", "independent"), ("x", "in bursts"), ("none", "retransmitted")):
        filling = "white" if style == "none" else NEUTRAL
        marker = "s" if style == "none" else style
        axes.plot([], [], marker, color=NEUTRAL, markerfacecolor=filling, label=text)
    if (rows["fraction"] < 1).any():
        axes.plot([], [], "s", color=NEUTRAL, markersize=SMALL, label="share of the clients")
    axes.set(xscale="log", xlabel="block loss rate", ylabel="packet loss rate (%)", ylim=(-3, 103))
    axes.set_title("Ledger (markers) and Eq. (18) (lines)", loc="left", fontsize="medium")


def draw_differences(axes: Axes, rows: pd.DataFrame, looks: dict[str, ShownMethod]) -> None:
    """Draw what loss does to accuracy: the difference to the method's own run without it.

    Bars reach to Student's bounds, so that a bar across zero says that nothing was seen.
    """
    methods = list(_by_method(rows[rows["difference"].notna()], looks))
    axes.axhline(0, color=NEUTRAL, linewidth=0.8)
    for index, (look, method_rows) in enumerate(methods):
        # A method may have a rate thrice.
        positions = index + method_rows.groupby("blr").cumcount() / 4
        lossy = method_rows.assign(blr=method_rows["blr"] * aside(positions, len(methods)))
        reach = [
            100 * (lossy["difference"] - lossy["difference_lower"]),
            100 * (lossy["difference_upper"] - lossy["difference"]),
        ]
        axes.errorbar(
            lossy["blr"],
            100 * lossy["difference"],
            yerr=np.where(np.isfinite(reach), reach, 0),
            fmt="none",
            ecolor=look.colour,
            elinewidth=0.8,
        )
        _markers(axes, lossy, look, "difference")
        mark_diverged(axes, lossy["blr"], 100 * lossy["difference"], lossy["diverged"])
    axes.set(xscale="log", xlabel="block loss rate", ylabel="points against no loss")
    axes.set_title("Differences by seed, with 95 % bounds", loc="left", fontsize="medium")


def _by_method(
    rows: pd.DataFrame, looks: dict[str, ShownMethod]
) -> Iterator[tuple[ShownMethod, pd.DataFrame]]:
    """Yield every method's look and rows."""
    for look in looks.values():
        method_rows = rows[rows["method"] == look.name]
        if len(method_rows):
            yield look, method_rows


def _markers(
    axes: Axes, method_rows: pd.DataFrame, look: ShownMethod, column: str, label: str | None = None
) -> None:
    """Draw one method's rows: filled if lost for good, a cross if in bursts, hollow if resent.

    Those of a share of the clients are small.
    """
    for index, (_, row) in enumerate(method_rows.iterrows()):
        axes.plot(
            row["blr"],
            100 * row[column],
            linestyle="none",
            marker="x" if row["burst"] > 1 else look.marker,
            markersize=None if row["fraction"] == 1 else SMALL,
            color=look.colour,
            markerfacecolor="white" if row["retransmissions"] else look.colour,
            label=label if index == 0 else None,
        )


if __name__ == "__main__":
    run_by_name(snakemake, main)
