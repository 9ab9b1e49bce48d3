"""Plot accuracy against width, a panel for each law of what clients can train (thesis, Fig. C.4).

Also for each order in which a law deals widths to clients, and for fewer clients in a round (Fig.
C.5). Networks of FedAvg, which has no budgets, are in every panel.
"""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import points_with_bars
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.story import Story, with_rows
from fbftl.findings.style import TEXT_WIDTH, save, use_style
from fbftl.ground.csv_tables import read_table
from matplotlib.axes import Axes

PANEL = ["budgets", "budget_order", "clients_per_round"]
"""Axes that have a panel for each of their values."""

ORDERS = {"by_domain": "", "poorest_first": ", poorest first", "spread": ", spread"}
"""What follows a law's name; a law deals the widest networks to the first domains without it."""

LAWS = {"lognormal": "log-normal", "ln0.5_0.4": "log-normal (.5, .4)", "8-2-1-1": "8 : 2 : 1 : 1"}
"""Names of laws that are not words."""

COLUMNS = 3
"""Panels side by side."""


def main(table: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure from the table of widths; pdf, png and numbers go beside it."""
    use_style()
    rows, looks = with_rows(read_table(table), table), shown(methods)
    save(draw(rows, looks), svg, rows, story(rows, looks))


def story(rows: pd.DataFrame, looks: dict[str, ShownMethod]) -> Story:
    """Return how often each method has the highest mean at full width."""
    panels = panels_of(rows)
    full = [panel[panel["width"] == panel["width"].max()] for panel in panels.values()]
    best = pd.Series([panel.loc[panel["accuracy"].idxmax(), "method"] for panel in full])
    name, times = best.value_counts().index[0], best.value_counts().iloc[0]
    return Story(
        f"At full width {looks[name].figure_label} leads in {times} of {len(panels)} panels, "
        "FedAvg apart",
        "Test accuracy in per cent against the width of the network, a line per method with bars "
        "of one standard deviation, in a panel for each law of the widths that clients can train, "
        "each order in which widths are dealt and each number of clients in a round; FedAvg of "
        "each width, which has no budgets, is dotted in every panel.",
    )


def panels_of(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the rows with budgets by the title of their panel, in the order of the table."""
    with_budgets = rows[rows["budgets"].notna()]
    groups = with_budgets.groupby(PANEL, sort=False, dropna=False)
    return {
        title(law, order, clients): panel
        for (law, order, clients), panel in sorted(
            groups, key=lambda group: (pd.notna(group[0][2]), group[0][0] != "exponential")
        )
    }


def title(law: str, order: str, clients: float) -> str:
    """Return what a panel is called."""
    of_round = "" if pd.isna(clients) else f", {clients:g} clients a round"
    return f"{LAWS.get(law, law)}{ORDERS[order]}{of_round}"


def draw(rows: pd.DataFrame, looks: dict[str, ShownMethod]) -> plt.Figure:
    """Return the figure: panels of lines, their legend above."""
    panels = panels_of(rows)
    lines = -(-len(panels) // COLUMNS)
    figure, grid = plt.subplots(
        lines, COLUMNS, figsize=(TEXT_WIDTH, 1.7 * lines + 0.6), layout="constrained", sharex=True,
        sharey=True, squeeze=False,
    )  # fmt: skip
    widths, of_each = sorted(rows["width"].unique()), rows[rows["budgets"].isna()]
    for axes, (name, panel) in zip(grid.flat, panels.items(), strict=False):
        draw_panel(axes, pd.concat([panel, of_each]), looks)
        axes.set_xscale("log", base=2)
        axes.set_xticks(widths, [f"{width:g}" for width in widths])
        axes.minorticks_off()
        axes.set_title(name, loc="left", fontsize="small")
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    for axes in grid[:, 0]:
        axes.set_ylabel("test accuracy (%)")
    # The lowest panel of each column says what lies along it.
    for axes in grid.flat[max(0, len(panels) - COLUMNS) : len(panels)]:
        axes.tick_params(labelbottom=True)
        axes.set_xlabel("share of width (log scale)")
    labelled = [axes.get_legend_handles_labels() for axes in grid.flat]
    shown_lines = {label: handle for pair in labelled for handle, label in zip(*pair, strict=True)}
    figure.legend(
        shown_lines.values(), shown_lines.keys(), loc="outside upper center", ncols=3, fontsize=7
    )
    return figure


def draw_panel(axes: Axes, rows: pd.DataFrame, looks: dict[str, ShownMethod]) -> None:
    """Draw a line for each method; bases that begin as slices of the whole network are filled."""
    for look in looks.values():
        of_method = rows[rows["method"] == look.name]
        for rescaled, line in of_method.groupby("rescaled_init"):
            label = look.figure_label
            if look.name == "splitmix":
                label += ", slices at the start" if rescaled else ", bases of their own"
            alone = line["budgets"].isna().all()
            points_with_bars(
                axes, line["width"], line.sort_values("width"), marker=look.marker, markersize=3,
                color=look.colour, linestyle=":" if alone else "-", label=label,
                markerfacecolor=look.colour if rescaled or look.name != "splitmix" else "white",
            )  # fmt: skip
