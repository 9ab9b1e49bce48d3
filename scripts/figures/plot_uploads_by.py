"""Plot accuracy of uploads along an axis: samples per client, label skew, or lost packets."""

from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import points_with_bars
from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.story import Story, capitalised, measured, moved, with_rows
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

    @property
    def symbol(self) -> str:
        """The last word of its title, which is what sentences call it."""
        return self.title.split()[-1]


TITLES = {
    "samples_per_client": "samples per client K",
    "alpha": "Dirichlet concentration α",
    "plr": "packet loss rate PLR",
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
    table = with_rows(read_tidy(runs, axes), runs)
    table = table[table["blr"].eq(0)] if "blr" in table else table
    table[axis] = table[axis].fillna(task_value) if task_value is not None else table[axis]
    rows = mean_and_spread(table[table[axis].notna()], [*READ, axis])
    along = Abscissa(axis, TITLES[axis], task_value)
    save(draw(rows, along), svg, rows, story(rows, along))


def story(rows: pd.DataFrame, along: Abscissa) -> Story:
    """Return which upload changes most from one end of the axis to the other."""
    ends = [
        (upload.label, *(line.sort_values(along.axis).iloc[place] for place in (0, -1)))
        for upload, line in by_upload(rows)
    ]
    label, first, last = max(ends, key=lambda end: abs(end[2]["accuracy"] - end[1]["accuracy"]))
    where = tuple(f"at {along.symbol} = {row[along.axis]:g}" for row in (first, last))
    return Story(
        capitalised(f"{moved(label, where, (measured(first), measured(last)))}, the most of all"),
        f"Test accuracy in per cent against the {along.title}, on a logarithmic axis, a line for "
        "each message and head with bars of one standard deviation over seeds.",
    )


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
        axes.set(xscale="log", xlabel=f"{along.title} (log scale)")
    axes.set_ylabel("test accuracy (%)")
    figure.legend(loc="outside lower center", ncols=2, fontsize=7)
    return figure


if __name__ == "__main__":
    run_by_name(snakemake, main)
