"""Plot each framework's accuracy against what a client sends for it: a point per framework.

Where a framework has several settings in a panel, each point says in what they differ.
"""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import points_with_bars
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.style import COLUMN_WIDTH, NEUTRAL, edged, save, use_style
from fbftl.ground.binding import run_by_name
from fbftl.ground.csv_tables import read_table


def main(table: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        table: the frameworks' table.
        svg: path of the svg.
        methods: the methods of its rows.
    """
    use_style()
    rows = read_table(table).dropna(subset=["accuracy"])
    columns = ["method", "partition", "variant", "up", "accuracy", "spread", "diverged"]
    save(draw(rows, shown(methods)), svg, rows[columns])


def draw(rows: pd.DataFrame, looks: dict[str, ShownMethod]) -> plt.Figure:
    """Return the figure: a panel for each way in which labels are dealt."""
    partitions = sorted(rows["partition"].unique())
    figure, panels = plt.subplots(
        1, len(partitions), figsize=(2 * COLUMN_WIDTH, COLUMN_WIDTH), sharey=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for axes, name in zip(panels[0], partitions, strict=True):
        panel_rows = rows[rows["partition"] == name]
        for method, settings in panel_rows.groupby("method", sort=False):
            points_with_bars(
                axes, settings["up"], settings, markersize=7, linestyle="none",
                **edged(looks[method].marker, looks[method].colour),
            )  # fmt: skip
        middle = (panel_rows["up"].min() * panel_rows["up"].max()) ** 0.5
        for _, settings in panel_rows.groupby("method"):
            for point, difference in zip(
                settings.to_dict("records"), what_differs(list(settings["variant"])), strict=True
            ):
                left = point["up"] < middle
                axes.annotate(
                    difference, (point["up"], 100 * point["accuracy"]), (5 if left else -5, 6),
                    ha="left" if left else "right", textcoords="offset points",
                    fontsize="xx-small", color=looks[point["method"]].colour,
                )  # fmt: skip
        axes.set(xscale="log", xlabel="sent by a client (bit)", title=f"labels: {name}")
    panels[0][0].set_ylabel("test accuracy (%)")
    for name in dict.fromkeys(rows["method"]):
        look = looks[name]
        panels[0][0].plot(
            [], [], linestyle="none", label=look.figure_label, **edged(look.marker, look.colour)
        )
    figure.legend(loc="outside upper center", ncols=6, labelcolor=NEUTRAL)
    return figure


def what_differs(variants: list[str]) -> list[str]:
    """Return of each setting, told as "axis value, axis value", what not all of them have."""
    named = [variant.split(", ") if isinstance(variant, str) else [] for variant in variants]
    shared = set(named[0]).intersection(*named)
    return [", ".join(part for part in parts if part not in shared) for parts in named]


if __name__ == "__main__":
    run_by_name(snakemake, main)
