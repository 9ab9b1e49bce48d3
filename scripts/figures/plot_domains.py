"""Plot accuracy in each domain at full width, a bar per method: whose domains starve.

Whiskers are one standard deviation over seeds. A panel for each order of budgets over the domains.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.data.domains import domains_in, name_of
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.story import Story, listed, percent, with_rows
from fbftl.findings.style import TEXT_WIDTH, save, use_style
from fbftl.findings.widths import as_in_the_thesis, orders_of
from fbftl.ground.csv_tables import read_table


def main(table: str, svg: str, domains: list[Any], methods: list[dict[str, Any]]) -> None:
    """Draw the figure from the table of widths; pdf, png and numbers go beside it.

    Args:
        table: path of the table.
        svg: path of the svg.
        domains: of the task, as the configuration lists them.
        methods: the methods of the runs, in the order of the bars.
    """
    use_style()
    rows = as_in_the_thesis(with_rows(read_table(table), table))
    names = [name_of(domain) for domain in domains_in(domains)]
    looks = [look for look in shown(methods).values() if look.name != "fedavg"]
    fits = rows[(rows["method"] == "fedavg") & (rows["width"] == rows["width"].min())]
    orders = orders_of(rows)
    figure, (panels,) = plt.subplots(
        1, len(orders), figsize=(TEXT_WIDTH, 2.4), layout="constrained", sharey=True, squeeze=False
    )
    width = 0.8 / (len(looks) + 1)
    for axes, (order, title) in zip(panels, orders.items(), strict=True):
        by_method = [
            (look, rows[(rows["method"] == look.name) & (rows["budget_order"] == order)])
            for look in looks
        ]
        bars = [
            (look.colour, look.figure_label, method_rows[method_rows["width"] == 1])
            for look, method_rows in by_method
        ]
        bars += [("#AAAAAA", "FedAvg that fits all budgets", fits)]
        for index, (colour, label, method_rows) in enumerate(bars):
            if len(method_rows):
                at = np.arange(len(names)) + width * (index - len(looks) / 2)
                spread = 100 * method_rows[[f"{name}_spread" for name in names]].iloc[0]
                axes.bar(
                    at, 100 * method_rows[names].iloc[0], width, color=colour, label=label,
                    yerr=spread, error_kw={"elinewidth": 0.8, "ecolor": "#444444"},
                )  # fmt: skip
        axes.set_xticks(range(len(names)), names)
        axes.grid(axis="x", visible=False)
        axes.set_title(title, loc="left", fontsize="medium")
    panels[0].set_ylabel("accuracy at full width (%)")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    save(figure, svg, rows, story(rows, names, looks))


def story(rows: pd.DataFrame, names: list[str], looks: list[ShownMethod]) -> Story:
    """Return how little each method leaves its worst domain where budgets fall by domain."""
    full = rows[(rows["width"] == 1) & (rows["budget_order"] == "by_domain")].set_index("method")
    worst = full.loc[[look.name for look in looks if look.name in full.index], names].min(axis=1)
    labels = {look.name: look.figure_label for look in looks}
    parts = [f"{labels[str(method)]} {percent(score)}" for method, score in worst.items()]
    if parts:
        title = f"Budgets by domain leave the worst domain this accuracy: {listed(parts)}"
    else:
        fits = rows[rows["width"] == rows["width"].min()]
        title = f"FedAvg has {percent(fits[names].min(axis=None))} in its worst domain"
    return Story(
        title,
        "Accuracy at full width in per cent in each domain, a bar per method with a whisker of one "
        "standard deviation over seeds, beside the network of FedAvg that fits all budgets; a "
        "panel for budgets that fall from the first domain to the last and, where it ran, one for "
        "budgets that are spread.",
    )
