"""Plot accuracy against width, a line per method, under each order of budgets; and its uplink.

Budgets that follow the domains leave whole domains too poor for wide networks; beside them, where
it ran, the same budgets spread over the domains. Below: accuracy at full width against what a
round sends.
"""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import PointName, name_lines, name_points, points_with_bars
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.story import Story, compared, measured, percent, with_rows
from fbftl.findings.style import TEXT_WIDTH, save, use_style
from fbftl.findings.widths import WHATEVER, as_in_the_thesis, has_one_domain, orders_of
from fbftl.ground.csv_tables import read_table
from matplotlib.axes import Axes

SHORT = {"by_domain": ", by domain", "spread": ", spread"}
"""What follows a method's name where a point is of one order and clients have several domains."""


def main(table: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure from the table of widths; pdf, png and numbers go beside it."""
    use_style()
    rows = as_in_the_thesis(with_rows(read_table(table), table))
    looks = shown(methods)
    save(draw(rows, looks), svg, rows, story(rows, looks))


def story(rows: pd.DataFrame, looks: dict[str, ShownMethod]) -> Story:
    """Return which of two methods is more accurate at full width."""
    full = rows[(rows["width"] == rows["width"].max()) & (rows["budget_order"] == "by_domain")]
    budgeted = full[~full["method"].isin(WHATEVER)]
    ranked = (full if budgeted.empty else budgeted).sort_values("accuracy", ascending=False)
    best, *others = ranked.to_dict("records")
    label = looks[best["method"]].figure_label
    (order, *_) = orders_of(rows).values()
    budgets = f"{order[0].lower()}{order[1:]}"
    title = f"{label} has {percent(best['accuracy'])} at full width" + (
        "" if budgeted.empty else f", {budgets}"
    )
    if others:
        names = (label, looks[others[0]["method"]].figure_label)
        sides = (measured(best), measured(others[0]))
        title = f"At full width, {budgets}, {compared(names, sides)}"
    return Story(
        title,
        "Test accuracy in per cent against the width of the network, a line per method with bars "
        "of one standard deviation, a panel for each order of budgets over the clients; then "
        "accuracy at full width against megabits that all clients send up in a round.",
    )


def draw(rows: pd.DataFrame, looks: dict[str, ShownMethod]) -> plt.Figure:
    """Return the figure: panels of lines, and below them what a round sends."""
    orders = orders_of(rows)
    figure, grid = plt.subplot_mosaic(
        [[*orders], ["uplink"] * len(orders)], figsize=(TEXT_WIDTH, 4.6), layout="constrained",
        sharey=True,
    )  # fmt: skip
    ends = {}
    for order, title in orders.items():
        axes, in_order = grid[order], rows[rows["budget_order"] == order]
        drawn = pd.concat([in_order, rows[rows["method"].isin(WHATEVER)]]).drop_duplicates()
        ends[order] = [
            draw_line(axes, drawn[drawn["method"] == look.name].sort_values("width"), look)
            for look in looks.values()
            if drawn["method"].eq(look.name).any()
        ]
        axes.set_xscale("log", base=2)
        widths = sorted(rows["width"].unique())
        axes.set_xticks(widths, [f"{width:g}" for width in widths])
        axes.minorticks_off()
        axes.set_title(title, loc="left", fontsize="medium")
        axes.set_xlabel("share of the full width (log scale)")
        axes.set_ylabel("test accuracy (%)")
    names = draw_uplink(grid["uplink"], rows, looks)
    for order in orders:
        name_lines(grid[order], ends[order])
    name_points(grid["uplink"], names)
    return figure


def draw_line(axes: Axes, rows: pd.DataFrame, look: ShownMethod) -> PointName:
    """Draw one method's accuracy against width, with a standard deviation over seeds."""
    # FedAvg's networks are trained apart, each for itself.
    alone = look.name in WHATEVER
    points_with_bars(
        axes, rows["width"], rows, marker=look.marker, color=look.colour,
        linestyle=":" if alone else "-",
    )  # fmt: skip
    last, each = rows.iloc[-1], f"{look.figure_label} of each width"
    name = each if alone else look.figure_label
    return PointName(name, last["width"], 100 * last["accuracy"], look.colour)


def draw_uplink(axes: Axes, rows: pd.DataFrame, looks: dict[str, ShownMethod]) -> list[PointName]:
    """Draw every run at its widest: accuracy against bits of a round; return the points' names."""
    names = []
    for look in looks.values():
        for order, short in SHORT.items():
            after = "" if has_one_domain(rows) else short
            method_rows = rows[(rows["method"] == look.name) & (rows["budget_order"] == order)]
            if look.name not in WHATEVER:
                method_rows = method_rows[method_rows["width"] == method_rows["width"].max()]
            points_with_bars(
                axes, method_rows["uplink_bits"] / 1e6, method_rows, marker=look.marker,
                color=look.colour, markerfacecolor=look.colour if order == "by_domain" else "white",
                linestyle="none",
            )  # fmt: skip
            names += [
                PointName(
                    look.figure_label
                    + (f", width {row['width']:g}" if look.name in WHATEVER else after),
                    row["uplink_bits"] / 1e6, 100 * row["accuracy"], look.colour,
                )
                for row in method_rows.to_dict("records")
            ]  # fmt: skip
    axes.set_xlim(left=0)
    axes.margins(x=0.15)
    axes.set_xlabel("sent up by all clients in a round (Mb)")
    axes.set_ylabel("test accuracy (%)")
    axes.set_title("At full width, and FedAvg of each", loc="left", fontsize="medium")
    return names
