"""Plot each framework's accuracy against what a client sends for it: a point per framework.

Where a framework stands more than once beside another setting of itself, each point says by what.
"""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.style import COLUMN_WIDTH, NEUTRAL, mark_diverged, save, use_style
from fbftl.ground.csv_tables import read_table
from fbftl.ground.logs import run_job


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
    dealt = sorted(rows["partition"].unique())
    figure, panels = plt.subplots(
        1, len(dealt), figsize=(2 * COLUMN_WIDTH, COLUMN_WIDTH), sharey=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for axes, name in zip(panels[0], dealt, strict=True):
        own = rows[rows["partition"] == name]
        for point in own.to_dict("records"):
            look = looks[point["method"]]
            axes.errorbar(
                point["up"], 100 * point["accuracy"], 100 * point["spread"],
                marker=look.marker, color=look.colour, markersize=7, capsize=2, linestyle="none",
            )  # fmt: skip
        middle = (own["up"].min() * own["up"].max()) ** 0.5
        for _, settings in own.groupby("method"):
            for point, told in zip(
                settings.to_dict("records"), what_differs(list(settings["variant"])), strict=True
            ):
                left = point["up"] < middle
                axes.annotate(
                    told, (point["up"], 100 * point["accuracy"]), (5 if left else -5, 6),
                    ha="left" if left else "right", textcoords="offset points",
                    fontsize="xx-small", color=looks[point["method"]].colour,
                )  # fmt: skip
        mark_diverged(axes, own["up"], 100 * own["accuracy"], own["diverged"])
        axes.set(xscale="log", xlabel="sent by a client (bit)", title=f"labels: {name}")
    panels[0][0].set_ylabel("test accuracy (%)")
    for name in dict.fromkeys(rows["method"]):
        look = looks[name]
        told = {"marker": look.marker, "color": look.colour, "label": look.drawn}
        panels[0][0].plot([], [], linestyle="none", **told)
    figure.legend(loc="outside upper center", ncols=6, labelcolor=NEUTRAL)
    return figure


def what_differs(variants: list[str]) -> list[str]:
    """Return of each setting, told as "axis value, axis value", what not all of them have."""
    told = [variant.split(", ") if isinstance(variant, str) else [] for variant in variants]
    shared = set(told[0]).intersection(*told)
    return [", ".join(part for part in own if part not in shared) for own in told]


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(job.input.table, job.output.svg, job.params.methods))
