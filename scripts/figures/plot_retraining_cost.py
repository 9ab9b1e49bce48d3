"""Plot accuracy against what clients have sent up by then; FbFTL sends once, before training."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.exchanged import Exchanged, read_exchanged
from fbftl.findings.marks import points_with_bars
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.story import Story, percent
from fbftl.findings.style import COLUMN_WIDTH, save, use_style
from matplotlib.ticker import LogLocator, NullFormatter

STYLES = {"last_epoch": "-", "averaged": "--", "after": ":"}
WORDS = {"last_epoch": "", "averaged": ", averaged extractor", "after": ", after training"}


def main(
    runs: Sequence[str], ledgers: Sequence[str], svg: str, axes: dict[str, Any],
    methods: list[dict[str, Any]],
) -> None:  # fmt: skip
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        runs: run files of the experiment.
        ledgers: theirs.
        svg: path of the svg.
        axes: the axes to know of a run, with their defaults.
        methods: those of the experiment.
    """
    use_style()
    looks = shown(methods)
    read = (read_exchanged(*pair, axes) for pair in zip(runs, ledgers, strict=True))
    points = pd.concat([plotted(run, looks[run.method]) for run in read], ignore_index=True)
    save(draw(points, looks), svg, points, story(points, looks))


def story(points: pd.DataFrame, looks: dict[str, ShownMethod]) -> Story:
    """Return accuracy and uplink of who sends least and of who is most accurate."""
    marks = points[points["marked"]]
    chosen = marks.loc[[marks["megabytes"].idxmin(), marks["accuracy"].idxmax()]].drop_duplicates()
    parts = [
        f"{looks[row['method']].figure_label + WORDS[row['features_from']]} has "
        f"{percent(row['accuracy'])} for {row['megabytes']:.2g} MB"
        for row in chosen.to_dict("records")
    ]
    return Story(
        "; ".join(parts),
        "Test accuracy in per cent against what all clients have sent up by then in megabytes on a "
        "logarithmic axis, a line per method with a marker and a bar of one standard deviation "
        "where the table reports it; who sends once has one point.",
    )


def plotted(run: Exchanged, look: ShownMethod) -> pd.DataFrame:
    """Return mean uplink in megabytes, accuracy and its spread after each point of a run's curves.

    Who sends once has one point, at the end of its training. The last row, alone marked, is what
    the table reports: every seed at its own selected epoch.
    """
    points = range(1, run.points + 1) if look.sends != "once" else [run.points]
    rows = []
    for point in points:
        accuracy = pd.Series(run.after(point))
        sent = run.until("up", "bits", [point] * len(run.seeds))
        rows.append(
            {
                "method": run.method,
                "features_from": run.setting.features_from,
                "point": point,
                "marked": False,
                "megabytes": float(sent.mean()) / 8e6,
                "accuracy": accuracy.mean(),
                "spread": accuracy.std(),
            }
        )
    reported = run.reported()
    mark = {
        "method": run.method,
        "features_from": run.setting.features_from,
        "point": reported["epoch"],
        "marked": True,
        "megabytes": reported["uplink"] / 8e6,
        "accuracy": reported["accuracy"],
        "spread": reported["spread"],
    }
    return pd.DataFrame([*rows, mark])


def draw(points: pd.DataFrame, looks: dict[str, ShownMethod]) -> plt.Figure:
    """Return the figure: a line per method, a marker where the table reports it."""
    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 0.85 * COLUMN_WIDTH))
    for (method, source), rows in points.groupby(["method", "features_from"], sort=False):
        look, line, mark = looks[method], rows[~rows["marked"]], rows[rows["marked"]]
        name = look.figure_label + WORDS[source]
        axes.plot(line["megabytes"], 100 * line["accuracy"], STYLES[source], color=look.colour)
        points_with_bars(
            axes, mark["megabytes"], mark, color=look.colour, marker=look.marker,
            linestyle=STYLES[source], label=name, capsize=0, elinewidth=0.8,
        )  # fmt: skip
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("sent up by all clients (MB, log scale)")
    axes.set_ylabel("test accuracy (%)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, fontsize=7)
    return figure
