"""Plot packet loss by ledger on the curves of Eq. (18), and what it does to accuracy.

Above, the lines of the formula with the ledgers' markers on them. Below, a row for each setting
that loses packets: the difference to the method's own run without loss.
"""

from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.findings.marks import mark_diverged
from fbftl.findings.runs import read_tidy
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.story import Story, points, with_rows
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, EndLabel, label_ends, save, use_style
from fbftl.ground.binding import run_by_name
from fbftl.messages.channel import GILBERT_ELLIOTT, packet_loss_rate
from matplotlib.axes import Axes

POINTS = 201

ROW = 0.17
"""Inches of a row of the lower panel."""


def main(table: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure from the table of packet loss; pdf, png and numbers go beside it."""
    use_style()
    rows = with_rows(read_tidy(table), table)
    looks, lossy = shown(methods), rows[rows["difference"].notna()]
    height = ROW * len(lossy) + 0.6
    figure, (above, below) = plt.subplots(
        2, 1, figsize=(0.85 * TEXT_WIDTH, 2.3 + height), height_ratios=(2.3, height),
        layout="constrained",
    )  # fmt: skip
    ends = draw_losses(above, rows, looks)
    draw_differences(below, lossy, looks)
    figure.legend(
        *above.get_legend_handles_labels(), loc="outside upper center", ncols=4, handlelength=1.5
    )
    label_ends(above, ends)
    save(figure, svg, rows, story(lossy, looks))


def story(lossy: pd.DataFrame, looks: dict[str, ShownMethod]) -> Story:
    """Return what losses are seen to do by the table's own rule, and the largest of it."""
    lowered = lossy[lossy["effect"] == "lowers"]
    if len(lowered):
        worst = lowered.loc[lowered["difference"].idxmin()]
        title = (
            f"{len(lowered)} of {len(lossy)} losses are seen to lower accuracy, most of all "
            f"{looks[worst['method']].figure_label}'s at {loss_words(worst)}: by "
            f"{points(worst['difference'])}"
        )
    else:
        reach = lossy[["difference_lower", "difference_upper"]].abs().max(axis=None)
        title = (
            f"None of {len(lossy)} losses is seen to lower accuracy; no bound reaches further "
            f"than {points(reach)}"
        )
    return Story(
        title,
        "Above, packet loss rates in per cent against block loss rates on a logarithmic axis: "
        "ledgers as markers on the lines of Eq. (18). Below, a row for each setting with loss: "
        "points of accuracy against the method's own run without loss, with 95 % bounds.",
    )


def loss_words(row: Any) -> str:
    """Return how the figure writes the loss of a setting."""
    parts = [f"{100 * row['blr']:g}% of blocks"]
    if row["burst"] > 1:
        parts.append(f"in bursts of {row['burst']:g}")
    if row["retransmissions"]:
        parts.append(f"sent again up to {row['retransmissions']:g} times")
    if row["fraction"] < 1:
        parts.append(f"{100 * row['fraction']:g}% of the clients")
    return ", ".join(parts)


def draw_losses(axes: Axes, rows: pd.DataFrame, looks: dict[str, ShownMethod]) -> list[EndLabel]:
    """Draw Eq. (18) as lines, what the ledgers counted as markers; return the lines' names.

    Losses in bursts follow another formula, a dash at each of their markers. Methods whose packets
    are as large, such as FL and FTL_f, share a line.
    """
    lossy = rows[rows["blr"] > 0]
    rates = np.geomspace(lossy["blr"].min() / 3, lossy["blr"].max() * 3, POINTS)
    lines: dict[float, list[ShownMethod]] = {}
    for look, method_rows in _by_method(lossy, looks):
        lines.setdefault(method_rows["blocks"].iloc[0], []).append(look)
        _markers(axes, method_rows, look)
        bursts = method_rows[method_rows["burst"] > 1]
        axes.plot(bursts["blr"], 100 * bursts["plr_formula"], "_", color=look.colour, markersize=11)
    ends = []
    for blocks, alike in lines.items():
        expected = 100 * packet_loss_rate(rates, blocks)
        for index, look in enumerate(alike):
            axes.plot(rates, expected, color=look.colour, dashes=(4, 4 * index), zorder=1)
        name = ", ".join(look.figure_label for look in alike)
        ends.append(EndLabel(name, float(expected[-1]), alike[0].colour))
    for marker, filling, text, needed in (
        ("s", NEUTRAL, "ledger", True),
        ("X", NEUTRAL, "ledger, in bursts", (lossy["burst"] > 1).any()),
        ("s", "white", "ledger, sent again", (lossy["retransmissions"] > 0).any()),
        ("_", NEUTRAL, f"bursts by {GILBERT_ELLIOTT}", (lossy["burst"] > 1).any()),
    ):
        if needed:
            axes.plot(
                [], [], marker, color=NEUTRAL, markerfacecolor=filling, linestyle="none", label=text
            )
    axes.set(xscale="log", ylabel="packet loss rate (%)", ylim=(-4, 104))
    axes.set_xlabel("block loss rate (log scale)")
    axes.set_title("What is lost, lines by Eq. (18)", loc="left", fontsize="medium")
    return ends


def draw_differences(axes: Axes, lossy: pd.DataFrame, looks: dict[str, ShownMethod]) -> None:
    """Draw what loss does to accuracy: the difference to the method's own run without it.

    Bars reach to Student's bounds, so that a bar across zero says that nothing was seen.
    """
    names: list[str] = []
    axes.axvline(0, color=NEUTRAL, linewidth=0.8)
    for look, method_rows in _by_method(lossy, looks):
        heights = np.arange(len(names), len(names) + len(method_rows))
        names += [
            f"{look.figure_label}: {loss_words(row)}" for row in method_rows.to_dict("records")
        ]
        middle = 100 * method_rows["difference"]
        reach = np.array(
            [
                middle - 100 * method_rows["difference_lower"],
                100 * method_rows["difference_upper"] - middle,
            ]
        )
        axes.errorbar(
            middle, heights, xerr=np.where(np.isfinite(reach), reach, 0), linestyle="none",
            marker=look.marker, color=look.colour, elinewidth=0.9, capsize=2,
        )  # fmt: skip
        mark_diverged(axes, middle, heights, method_rows["diverged"])
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    axes.set(ylim=(len(names) - 0.5, -0.5), xlabel="points of accuracy against no loss")
    axes.set_title("What it costs, by seed, with 95 % bounds", loc="left", fontsize="medium")


def _by_method(
    rows: pd.DataFrame, looks: dict[str, ShownMethod]
) -> Iterator[tuple[ShownMethod, pd.DataFrame]]:
    """Yield every method's look and rows."""
    for look in looks.values():
        method_rows = rows[rows["method"] == look.name]
        if len(method_rows):
            yield look, method_rows


def _markers(axes: Axes, method_rows: pd.DataFrame, look: ShownMethod) -> None:
    """Draw one method's ledgers: filled if lost for good, crosses in bursts, hollow if resent."""
    for row in method_rows.to_dict("records"):
        axes.plot(
            row["blr"],
            100 * row["plr_ledger"],
            linestyle="none",
            marker="X" if row["burst"] > 1 else look.marker,
            markersize=6,
            color=look.colour,
            markerfacecolor="white" if row["retransmissions"] else look.colour,
            zorder=3,
        )


if __name__ == "__main__":
    run_by_name(snakemake, main)
