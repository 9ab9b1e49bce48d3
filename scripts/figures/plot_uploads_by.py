"""Plot accuracy of uploads along an axis: samples per client, label skew, or lost packets.

Where the experiment varies further axes, a line for each of their values too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import points_with_bars
from fbftl.findings.runs import read_tidy, varying
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.story import Story, capitalised, measured, moved, with_rows
from fbftl.findings.style import COLUMN_WIDTH, packet_loss_axis, save, use_style
from fbftl.findings.uploads import READ, Upload, by_upload


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


@dataclass(frozen=True)
class UploadLine:
    """What one line shows.

    values: of the further axes, as the legend has them; empty where none varies.
    dashes: its matplotlib line style.
    points: rows in the order of the abscissa.
    """

    upload: Upload
    values: str
    dashes: str
    points: pd.DataFrame

    @property
    def label(self) -> str:
        """Its name in the legend."""
        return ", ".join(filter(None, (self.upload.label, self.values)))


DASHES = ("-", ":", "-.", "--")
"""Line styles of the values of further axes."""

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
    shown = table[table[axis].notna()]
    further = varying(shown, ["method", *READ, axis])
    rows = mean_and_spread(shown, [*READ, *further, axis])
    along, lines = Abscissa(axis, TITLES[axis], task_value), list(lines_of(rows, further, axis))
    save(draw(lines, along), svg, rows, story(lines, along))


def lines_of(rows: pd.DataFrame, further: Sequence[str], axis: str) -> Iterator[UploadLine]:
    """Yield the lines, those of an upload together, by the values of the further axes."""
    values = rows[list(further)].apply(_in_words, axis=1) if further else pd.Series("", rows.index)
    dashes = dict(zip(values.unique(), cycle(DASHES), strict=False))
    for upload, of_upload in by_upload(rows):
        for words, points in of_upload.groupby(values[of_upload.index], sort=False):
            other = not upload.components or upload.means_per_class > 1
            dash = "--" if other and not further else dashes[words]
            yield UploadLine(upload, words, dash, points.sort_values(axis))


def _in_words(values: pd.Series) -> str:
    """Return values of axes as a legend has them, those left out that a setting does not name."""
    return ", ".join(
        f"{axis.replace('_', ' ')} {f'{value:g}' if isinstance(value, float) else value}"
        for axis, value in values.items()
        if pd.notna(value)
    )


def story(lines: Sequence[UploadLine], along: Abscissa) -> Story:
    """Return which line changes most from one end of the axis to the other."""
    ends = [(line.label, line.points.iloc[0], line.points.iloc[-1]) for line in lines]
    label, first, last = max(ends, key=lambda end: abs(end[2]["accuracy"] - end[1]["accuracy"]))
    where = tuple(f"at {along.symbol} = {row[along.axis]:g}" for row in (first, last))
    changed = moved(label, where, (measured(first), measured(last)))
    return Story(
        capitalised(f"{changed}; no other line changes as much"),
        f"Test accuracy in per cent against the {along.title}, on a logarithmic axis, a line for "
        "each message and head, and for what else varies, with bars of one standard deviation "
        "over seeds.",
    )


def draw(lines: Sequence[UploadLine], along: Abscissa) -> plt.Figure:
    """Return the figure; bars are one standard deviation over seeds."""
    figure, axes = plt.subplots(figsize=(1.5 * COLUMN_WIDTH, 3.4), layout="constrained")
    for line in lines:
        x = 1 - line.points["plr"] if along.axis == "plr" else line.points[along.axis]
        points_with_bars(
            axes, x, line.points, linestyle=line.dashes, label=line.label, **line.upload.look
        )
    if along.axis == "plr":
        packet_loss_axis(axes, sorted({rate for line in lines for rate in line.points["plr"]}))
    else:
        axes.set(xscale="log", xlabel=f"{along.title} (log scale)")
    axes.set_ylabel("test accuracy (%)")
    figure.legend(loc="outside lower center", ncols=2, fontsize=7)
    return figure
