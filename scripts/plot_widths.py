"""Plot accuracy against width, a line per method, under both orders of budgets; and its uplink.

Left: budgets follow the domains, so that whole domains are too poor for wide networks. Middle: the
same budgets spread over the domains. Right: accuracy at full width against what a round sends.
"""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.style import TEXT_WIDTH, mark_diverged, save, use_style
from fbftl.ground.csv_tables import read_table
from fbftl.ground.logs import run_job
from matplotlib.axes import Axes

ORDERS = {"by_domain": "Budgets by domain", "spread": "Budgets spread over domains"}
"""Titles of the panels."""

WHATEVER = ("fedavg",)
"""Methods whose clients all train the same width, whatever their budgets."""


def main(table: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure from the table of widths; pdf, png and numbers go beside it."""
    use_style()
    rows = read_table(table)
    # FedAvg has no budgets, and stands beside whichever.
    rows = rows.fillna({"budgets": "exponential", "budget_order": "by_domain"})
    rows = rows[(rows["budgets"] == "exponential") & ~rows["rescaled_init"]]
    figure, (*panels, right) = plt.subplots(
        1, 3, figsize=(TEXT_WIDTH, 2.6), layout="constrained", sharey=True
    )
    looks = shown(methods)
    for axes, (order, title) in zip(panels, ORDERS.items(), strict=True):
        in_order = rows[(rows["budget_order"] == order) | rows["method"].isin(WHATEVER)]
        for look in looks.values():
            draw_line(axes, in_order[in_order["method"] == look.name], look)
        axes.set_xscale("log", base=2)
        widths = sorted(rows["width"].unique())
        axes.set_xticks(widths, [f"{width:g}" for width in widths])
        axes.minorticks_off()
        axes.set_title(title, loc="left", fontsize="medium")
        axes.set_xlabel("width")
    draw_uplink(right, rows, looks)
    panels[0].set_ylabel("test accuracy (%)")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    save(figure, svg, rows)


def draw_line(axes: Axes, own: pd.DataFrame, look: ShownMethod) -> None:
    """Draw one method's accuracy against width, with a standard deviation over seeds."""
    # FedAvg's networks are trained apart, each for itself.
    alone = look.name in WHATEVER
    style, label = (":", f"{look.drawn} of each width") if alone else ("-", look.drawn)
    axes.errorbar(
        own["width"], 100 * own["accuracy"], 100 * own["spread"], marker=look.marker,
        color=look.colour, linestyle=style, capsize=2, label=label,
    )  # fmt: skip
    mark_diverged(axes, own["width"], 100 * own["accuracy"], own["diverged"])


def draw_uplink(axes: Axes, rows: pd.DataFrame, looks: dict[str, ShownMethod]) -> None:
    """Draw every run at its widest: accuracy against bits of a round, filled by domain."""
    for look in looks.values():
        for order in ORDERS:
            own = rows[(rows["method"] == look.name) & (rows["budget_order"] == order)]
            if look.name not in WHATEVER:
                own = own[own["width"] == own["width"].max()]
            filled = look.colour if order == "by_domain" else "white"
            axes.errorbar(
                own["uplink_bits"] / 1e6, 100 * own["accuracy"], 100 * own["spread"], capsize=2,
                marker=look.marker, color=look.colour, markerfacecolor=filled, linestyle="none",
            )  # fmt: skip
    axes.set_xlim(left=0)
    axes.set_xlabel("Mb up in a round; hollow: spread")
    axes.set_title("Full width, and FedAvg", loc="left", fontsize="medium")


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(job.input.table, job.output.svg, job.params.methods))
