"""Plot where features cost more uplink than class means or statistics: in K, and in d."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.cost.layers import read_network
from fbftl.cost.one_shot import crossover, expected_present, numbers
from fbftl.findings.marks import PointName, name_lines, name_points
from fbftl.findings.runs import read_tidy
from fbftl.findings.story import Story, with_rows
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, ordered_colors, save, use_style
from fbftl.findings.uploads import COLOURS

MESSAGES = ("features", "means", "statistics")

SIZES = np.unique(np.geomspace(1, 4096, 60).round().astype(int))
"""Samples per client K."""

WIDTHS = np.unique(np.geomspace(16, 8192, 60).round().astype(int))
CLASSES = (10, 100, 1000)

MARKS = {"features": ("o", 8), "means": ("s", 4), "statistics": ("D", 5)}
"""Marker of each message and its points: those of the means of one sample lie on the sample's."""


def main(runs: str, network: str, svg: str, axes: dict[str, Any]) -> None:
    """Draw the figure; pdf, png and the numbers of the left panel go beside it.

    Args:
        runs: tidy table of the uploads over samples per client.
        network: the task's layers and its cut.
        svg: path of the svg.
        axes: those of uploads and samples per client, with their defaults.
    """
    use_style()
    shape = read_network(network)
    width, classes = shape.feature_width, shape.head[-1].outputs
    points = measured(with_rows(read_tidy(runs, axes), runs))
    figure, (left, right) = plt.subplots(1, 2, figsize=(TEXT_WIDTH, 2.9), layout="constrained")
    draw_sizes(left, points, width, classes)
    draw_widths(right, width, classes)
    name_sizes(left, points, width, classes)
    name_widths(right, width, classes)
    numbers = pd.concat([formulas(width, classes), points], ignore_index=True)
    save(figure, svg, numbers, story(width, classes))


def story(width: int, classes: int) -> Story:
    """Return the samples per client from which on features cost more than statistics."""
    edge = float(crossover(width, classes))
    return Story(
        f"Features cost more uplink than statistics from {edge:.0f} samples per client on",
        "Left, numbers that a client sends against its samples K, both axes logarithmic: lines by "
        f"formula for features, means and statistics at d = {width} and N = {classes}, ledgers as "
        "points; hollow ones are of heads for which clients send the means of held-out samples "
        "apart. Right, the K at the crossover of features and statistics against the dimensions d "
        "of a feature, both axes logarithmic, a line per number of classes N; the point is this "
        "task.",
    )


def measured(runs: pd.DataFrame) -> pd.DataFrame:
    """Return samples and numbers of a client by message and head, as the ledgers count them.

    A client has the mean of those that there are: the last one takes what is left.
    """
    rows = runs[runs["message"].isin(MESSAGES) & (runs["aggregation"] == "open")]
    rows = rows.assign(samples=rows["offered"] / rows["upload_batches"])
    groups = rows.groupby(["message", "head", "setting"])[["samples", "numbers_per_batch"]]
    points = groups.mean().rename(columns={"numbers_per_batch": "numbers"}).reset_index()
    return points.drop(columns="setting").assign(source="ledger")


def formulas(width: int, classes: int) -> pd.DataFrame:
    """Return numbers per client by message and K, in closed form, for iid clients."""
    rows = [
        {
            "message": message,
            "samples": int(size),
            "numbers": float(
                numbers(message, width, classes, int(size), expected_present(classes, int(size)))
            ),
            "source": "formula",
        }
        for message in MESSAGES
        for size in SIZES
    ]
    return pd.DataFrame(rows)


def held_out(points: pd.DataFrame) -> pd.Series:
    """Return of which points clients send the means of held-out samples apart.

    Then more means are sent than for other heads: by few clients, of which none is held out whole.
    """
    alike = points.groupby(["message", "samples"])["numbers"]
    return points["numbers"] > alike.transform("min")


def draw_sizes(axes: plt.Axes, points: pd.DataFrame, width: int, classes: int) -> None:
    """Draw numbers per client over K: lines by formula, markers by ledger."""
    for message, line in formulas(width, classes).groupby("message", sort=False):
        axes.plot(line["samples"], line["numbers"], color=COLOURS[message])
    for (message, hollow), group in points.groupby(["message", held_out(points)]):
        marker, size = MARKS[message]
        axes.plot(
            group["samples"], group["numbers"], marker, markersize=size, color=COLOURS[message],
            markerfacecolor="white" if hollow else COLOURS[message],
        )  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="samples per client K (log scale)")
    axes.set_ylabel("numbers per client (log scale)")
    axes.set_title(f"d = {width}, N = {classes}; points by ledger", loc="left", fontsize="medium")


def name_sizes(axes: plt.Axes, points: pd.DataFrame, width: int, classes: int) -> None:
    """Write the names of lines and of hollow markers."""
    ends = formulas(width, classes).groupby("message", sort=False).last()
    name_lines(
        axes,
        [
            PointName(message, end["samples"], end["numbers"], COLOURS[message])
            for message, end in ends.iterrows()
        ],
    )
    apart = points[held_out(points)].sort_values("samples").tail(1)
    name_points(
        axes,
        [
            PointName("held-out samples apart", x, y, COLOURS["means"])
            for x, y in zip(apart["samples"], apart["numbers"], strict=True)
        ],
    )


def draw_widths(axes: plt.Axes, width: int, classes: int) -> None:
    """Draw the K below which features cost less than statistics, over d."""
    for count, colour in zip(CLASSES, ordered_colors(len(CLASSES)), strict=True):
        edge = [float(crossover(int(d), count)) for d in WIDTHS]
        axes.plot(WIDTHS, edge, color=colour)
    axes.plot(width, float(crossover(width, classes)), "o", color=NEUTRAL)
    axes.set(xscale="log", yscale="log", xlabel="dimensions d of a feature (log scale)")
    axes.set_ylabel("K at the crossover (log scale)")
    axes.set_title("Below a line features cost less", loc="left", fontsize="medium")


def name_widths(axes: plt.Axes, width: int, classes: int) -> None:
    """Write the names of lines and of this task's point."""
    last = int(WIDTHS[-1])
    name_lines(
        axes,
        [
            PointName(f"N = {count:,}", last, float(crossover(last, count)), colour)
            for count, colour in zip(CLASSES, ordered_colors(len(CLASSES)), strict=True)
        ],
    )
    name_points(axes, [PointName("this task", width, float(crossover(width, classes)), NEUTRAL)])
