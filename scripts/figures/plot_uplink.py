"""Plot accuracy against the bits that clients have sent: the paper's argument in one picture.

The gradient methods send updates round after round, so each is a line to the right. FbFTL sends
once, before training: its accuracy rises at a fixed number of bits. Each line is the mean curve
over seeds; its mark is what the table of methods reports, where every seed stops at its own epoch.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.findings.exchanged import Exchanged, read_methods
from fbftl.findings.marks import line_with_band, points_with_bars
from fbftl.findings.runs import read_tidy
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.story import Story, compared, measured, percent
from fbftl.findings.style import COLUMN_WIDTH, DIVERGED, NEUTRAL, edged, save, use_style
from fbftl.findings.tables import ratio
from fbftl.findings.uplink import SELECTED
from matplotlib.axes import Axes


def main(
    runs: list[str], ledgers: list[str], by_seed: str, svg: str,
    methods: list[dict[str, Any]], axes: dict[str, Any],
) -> None:  # fmt: skip
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        runs: run files, one per method.
        ledgers: the runs' ledgers, in the same order.
        by_seed: what each method sends by seed, beside the table of methods.
        svg: path of the svg.
        methods: the methods of the runs.
        axes: axes in which a run deviates, with their defaults.
    """
    use_style()
    looks, exchanged = shown(methods), read_methods(runs, ledgers, axes)
    parts = [part(exchanged[name]) for name in looks for part in (curve, reported)]
    points = pd.concat(parts, ignore_index=True)
    sent = read_tidy(by_seed)
    save(draw(points, sent, looks), svg, points, story(points, sent, looks))


def story(points: pd.DataFrame, sent: pd.DataFrame, looks: dict[str, ShownMethod]) -> Story:
    """Return how the uplink and accuracy of FTL_c stand beside FbFTL's, or who is most accurate."""
    marks = points[points["selected"]].set_index("method")
    marks = marks.assign(seeds=sent["seed"].nunique())
    best = marks.loc[marks["accuracy"].idxmax()]
    title = (
        f"{looks[str(best.name)].figure_label} is the most accurate: {percent(best['accuracy'])}"
    )
    if {"fbftl", "ftl_c"} <= set(marks.index):
        names = tuple(looks[name].figure_label for name in ("ftl_c", "fbftl"))
        sides = tuple(measured(marks.loc[name]) for name in ("ftl_c", "fbftl"))
        times = sent[(sent["method"] == "ftl_c") & (sent["until"] == SELECTED)]["times_fbftl"]
        title = f"{names[0]} sends {ratio(times.mean())} times {names[1]}'s uplink; " + compared(
            names, sides
        )
    return Story(
        title,
        "Test accuracy in per cent against the bits that all clients have sent so far, on a "
        "logarithmic axis, a line per method inside a band of one standard deviation over seeds, "
        "with a marker where the table reports it; FbFTL sends once and rises at one place.",
    )


def curve(run: Exchanged) -> pd.DataFrame:
    """Return a method's line: per epoch the bits sent so far and the accuracy.

    Columns: method, epoch, uplink (encoded bits, mean over seeds), accuracy, spread, selected
    (False), diverged (seeds).
    """
    epochs = np.arange(1, run.accuracy.shape[1] + 1)
    sent = [run.until("up", "bits", [epoch] * len(run.seeds)).mean() for epoch in epochs]
    return pd.DataFrame(
        {
            "method": run.method,
            "epoch": epochs,
            "uplink": sent,
            "accuracy": run.accuracy.mean(axis=0),
            "spread": run.accuracy.std(axis=0, ddof=1) if len(run.seeds) > 1 else np.nan,
            "selected": False,
            "diverged": sum(run.diverged),
        }
    )


def reported(run: Exchanged) -> pd.DataFrame:
    """Return a method's mark, one row with the columns of `curve`: what the table reports.

    Epoch, uplink and accuracy are means over the seeds, each at its own selected epoch; a seed that
    diverged counts as 0.
    """
    return pd.DataFrame([{"method": run.method, **run.reported(), "selected": True}])


def draw(points: pd.DataFrame, sent: pd.DataFrame, looks: dict[str, ShownMethod]) -> plt.Figure:
    """Return the figure: a line per method with a band of one standard deviation over seeds.

    Args:
        points: the lines and marks of all methods (`curve`, `reported`).
        sent: what each method sends by seed (`findings.uplink`).
        looks: the methods by name.
    """
    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 0.9 * COLUMN_WIDTH), layout="constrained")
    for name, rows in points.groupby("method", sort=False):
        # The legend marks a method that diverged, so that its points need not.
        look, points_of = looks[name], rows.drop(columns="diverged")
        line, mark = points_of[~rows["selected"]], points_of[rows["selected"]]
        line_with_band(axes, line["uplink"], line, color=look.colour, zorder=2)
        points_with_bars(
            axes, mark["uplink"], mark, linestyle="none", elinewidth=0.8, markersize=7,
            zorder=3, **edged(look.marker, look.colour),
        )  # fmt: skip
        label = look.figure_label + (DIVERGED if rows["diverged"].any() else "")
        axes.plot([], [], "-", label=label, **edged(look.marker, look.colour))
    axes.set(
        xscale="log",
        xlabel="uplink of all clients so far (bit, log scale)",
        ylabel="test accuracy (%)",
    )
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside upper center", ncols=min(len(labels), 5),
        columnspacing=0.9, handlelength=1.5, handletextpad=0.4,
    )  # fmt: skip
    mark_distance(axes, points[points["selected"]].set_index("method"), sent)
    return figure


def mark_distance(axes: Axes, picked: pd.DataFrame, sent: pd.DataFrame) -> None:
    """Write how many times FbFTL's uplink FTL_c has sent when it stops, between the two.

    Args:
        axes: with everything drawn.
        picked: the marks, by method.
        sent: what each method sends by seed (`findings.uplink`).
    """
    if not {"fbftl", "ftl_c"} <= set(picked.index):
        return
    near, far = picked.at["fbftl", "uplink"], picked.at["ftl_c", "uplink"]
    height = axes.get_ylim()[1] + 0.02 * np.ptp(axes.get_ylim())
    axes.annotate(
        "", (near, height), (far, height), arrowprops={"arrowstyle": "<->", "color": NEUTRAL}
    )
    times = sent[(sent["method"] == "ftl_c") & (sent["until"] == SELECTED)]["times_fbftl"]
    spread = f" ± {ratio(times.std())}" if len(times) > 1 else ""
    axes.text(
        np.sqrt(near * far), height, f"× {ratio(times.mean())}{spread}",
        color=NEUTRAL, ha="center", va="center",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
    )  # fmt: skip
    axes.set_ylim(top=height + 0.05 * np.ptp(axes.get_ylim()))
