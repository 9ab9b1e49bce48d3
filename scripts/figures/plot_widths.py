"""Plot accuracy against width, a line per method, under both orders of budgets; and its uplink.

Left: budgets follow the domains, so that whole domains are too poor for wide networks. Middle: the
same budgets spread over the domains. Right: accuracy at full width against what a round sends.
"""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import points_with_bars
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.style import TEXT_WIDTH, save, use_style
from fbftl.ground.binding import run_by_name
from fbftl.ground.csv_tables import read_table
from matplotlib.axes import Axes

ORDERS = {"by_domain": "Budgets by domain", "spread": "Budgets spread over domains"}
"""Titles of the panels."""

WHATEVER = ("fedavg",)
"""Methods whose clients all train the same width, whatever their budgets."""


def main(table: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure from the table of widths; pdf, png and numbers go beside it."""
    use_style()
    rows = read_table(table)
    # FedAvg has no budgets, and is drawn beside either order.
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


def draw_line(axes: Axes, rows: pd.DataFrame, look: ShownMethod) -> None:
    """Draw one method's accuracy against width, with a standard deviation over seeds."""
    # FedAvg's networks are trained apart, each for itself.
    alone = look.name in WHATEVER
    style, label = (
        (":", f"{look.figure_label} of each width") if alone else ("-", look.figure_label)
    )
    points_with_bars(
        axes, rows["width"], rows, marker=look.marker, color=look.colour, linestyle=style,
        label=label,
    )  # fmt: skip


def draw_uplink(axes: Axes, rows: pd.DataFrame, looks: dict[str, ShownMethod]) -> None:
    """Draw every run at its widest: accuracy against bits of a round, filled by domain."""
    for look in looks.values():
        for order in ORDERS:
            method_rows = rows[(rows["method"] == look.name) & (rows["budget_order"] == order)]
            if look.name not in WHATEVER:
                method_rows = method_rows[method_rows["width"] == method_rows["width"].max()]
            filled = look.colour if order == "by_domain" else "white"
            points_with_bars(
                axes, method_rows["uplink_bits"] / 1e6, method_rows, marker=look.marker,
                color=look.colour, markerfacecolor=filled, linestyle="none",
            )  # fmt: skip
    axes.set_xlim(left=0)
    axes.set_xlabel("Mb up in a round; hollow: spread")
    axes.set_title("Full width, and FedAvg", loc="left", fontsize="medium")


if __name__ == "__main__":
    run_by_name(snakemake, main)
