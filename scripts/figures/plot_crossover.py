"""Plot where features cost more uplink than class means or statistics: in K, and in d."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.cost.layers import read_network
from fbftl.cost.one_shot import crossover, expected_present, numbers
from fbftl.findings.runs import read_tidy
from fbftl.findings.story import Story, with_rows
from fbftl.findings.style import TEXT_WIDTH, save, use_style
from fbftl.findings.uploads import COLOURS
from fbftl.ground.binding import run_by_name

SIZES = 2 ** np.arange(13)
"""Samples per client K, 1 to 4,096."""

WIDTHS = np.unique(np.geomspace(16, 8192, 60).round().astype(int))
CLASSES = (10, 100, 1000)


def main(runs: str, network: str, svg: str, axes: dict[str, Any], task_value: int | None) -> None:
    """Draw the figure; pdf, png and the numbers of the left panel go beside it.

    Args:
        runs: tidy table of the uploads over samples per client.
        network: the task's layers and its cut.
        svg: path of the svg.
        axes: those of uploads and samples per client, with their defaults.
        task_value: the task's own samples per client, for settings that do not say.
    """
    use_style()
    shape = read_network(network)
    width, classes = shape.feature_width, shape.head[-1].outputs
    points = measured(with_rows(read_tidy(runs, axes), runs), task_value)
    figure, (left, right) = plt.subplots(1, 2, figsize=(TEXT_WIDTH, 2.8), layout="constrained")
    draw_sizes(left, points, width, classes)
    draw_widths(right, width, classes)
    numbers = pd.concat([formulas(width, classes), points], ignore_index=True)
    save(figure, svg, numbers, story(width, classes))


def story(width: int, classes: int) -> Story:
    """Return the samples per client from which on features cost more than statistics."""
    edge = float(crossover(width, classes))
    return Story(
        f"Features cost more uplink than statistics from {edge:.0f} samples per client on",
        "Left, numbers that a client sends against its samples K, both axes logarithmic: lines by "
        f"formula for features, means and statistics at d = {width} and N = {classes}, ledgers as "
        "points. Right, the K at the crossover of features and statistics against the dimensions d "
        "of a feature, both axes logarithmic, a line per number of classes N; the point is this "
        "task.",
    )


def measured(runs: pd.DataFrame, task_value: int | None) -> pd.DataFrame:
    """Return numbers per client by message and K, as the ledgers count them."""
    is_shown = runs["message"].isin(["features", "means", "statistics"])
    rows = runs[is_shown & (runs["aggregation"] == "open")]
    rows = rows.assign(samples_per_client=rows["samples_per_client"].fillna(task_value))
    groups = rows.groupby(["message", "samples_per_client"], as_index=False)["numbers_per_batch"]
    return groups.mean().rename(columns={"numbers_per_batch": "numbers"}).assign(source="ledger")


def formulas(width: int, classes: int) -> pd.DataFrame:
    """Return numbers per client by message and K, in closed form, for iid clients."""
    rows = [
        {
            "message": message,
            "samples_per_client": int(size),
            "numbers": float(
                numbers(message, width, classes, int(size), expected_present(classes, int(size)))
            ),
            "source": "formula",
        }
        for message in ("features", "means", "statistics")
        for size in SIZES
    ]
    return pd.DataFrame(rows)


def draw_sizes(axes: plt.Axes, points: pd.DataFrame, width: int, classes: int) -> None:
    """Draw numbers per client over K: lines by formula, markers by ledger."""
    for message, line in formulas(width, classes).groupby("message", sort=False):
        axes.plot(
            line["samples_per_client"], line["numbers"], color=COLOURS[message], label=message
        )
    for message, message_points in points.groupby("message"):
        axes.plot(
            message_points["samples_per_client"],
            message_points["numbers"],
            "o",
            color=COLOURS[message],
        )
    axes.set(xscale="log", yscale="log", xlabel="samples per client K (log scale)")
    axes.set_ylabel("numbers per client (log scale)")
    axes.legend(fontsize=7)
    axes.set_title(f"d = {width}, N = {classes}; ledger as points", loc="left", fontsize="medium")


def draw_widths(axes: plt.Axes, width: int, classes: int) -> None:
    """Draw the K below which features cost less than statistics, over d."""
    for count in CLASSES:
        edge = [float(crossover(int(d), count)) for d in WIDTHS]
        axes.plot(WIDTHS, edge, label=f"N = {count:,}")
    axes.plot(width, float(crossover(width, classes)), "ko")
    axes.set(xscale="log", yscale="log", xlabel="dimensions d of a feature (log scale)")
    axes.set_ylabel("K at the crossover (log scale)")
    axes.legend(fontsize=7)
    axes.set_title("Below a line features cost less", loc="left", fontsize="medium")


if __name__ == "__main__":
    run_by_name(snakemake, main)
