"""Plot accuracy of uploads along an axis: samples per client, label skew, or lost packets."""

from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import points_with_bars
from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.style import COLUMN_WIDTH, packet_loss_axis, save, use_style
from fbftl.findings.uploads import READ, by_upload
from fbftl.ground.binding import run_by_name


@dataclass(frozen=True)
class Abscissa:
    """The axis along which uploads are drawn.

    task: what the task's own clients have of it, for settings that do not say.
    """

    axis: str
    title: str
    task: float | None


TITLES = {
    "samples_per_client": "samples per client K",
    "alpha": "Dirichlet concentration α",
    "plr": "packet loss rate",
}


def main(runs: str, svg: str, axis: str, axes: dict[str, Any], task_value: float | None) -> None:
    """Draw the figure from an experiment's tidy table; pdf, png and numbers go beside it.

    Args:
        runs: the tidy table.
        svg: path of the svg.
        axis: the axis along which the experiment runs.
        axes: those of uploads and this one, with their defaults.
        task_value: the task's value of the axis, for settings that do not name it; None if none.
    """
    use_style()
    table = read_tidy(runs, axes)
    table = table[table["blr"].eq(0)] if "blr" in table else table
    table[axis] = table[axis].fillna(task_value) if task_value is not None else table[axis]
    rows = mean_and_spread(table[table[axis].notna()], [*READ, axis])
    save(draw(rows, Abscissa(axis, TITLES[axis], task_value)), svg, rows)


def draw(rows: pd.DataFrame, along: Abscissa) -> plt.Figure:
    """Return the figure; bars are one standard deviation over seeds."""
    figure, axes = plt.subplots(figsize=(1.5 * COLUMN_WIDTH, 3.4), layout="constrained")
    for upload, upload_rows in by_upload(rows):
        upload_rows = upload_rows.sort_values(along.axis)
        x = 1 - upload_rows["plr"] if along.axis == "plr" else upload_rows[along.axis]
        points_with_bars(
            axes, x, upload_rows, linestyle="-" if upload.components else "--", label=upload.label,
            **upload.look,
        )  # fmt: skip
    if along.axis == "plr":
        packet_loss_axis(axes, sorted(rows["plr"].unique()))
    else:
        axes.set(xscale="log", xlabel=along.title)
    axes.set_ylabel("test accuracy (%)")
    figure.legend(loc="outside lower center", ncols=2, fontsize=7)
    return figure


if __name__ == "__main__":
    run_by_name(snakemake, main)
