"""Plot accuracy against the measured uplink over all compressions, the best for their bits named.

A panel for each share of the clients that settings were run on. Accuracy and uplink are those at
each seed's selected epoch, as in the table.
"""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import PointName, name_points, on_front, points_with_bars
from fbftl.findings.runs import read_tidy
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.story import Story, listed, percent, with_rows
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, accuracy_axis, save, use_style
from fbftl.findings.tables import prefixed
from fbftl.findings.wording import compression_words, share_words
from matplotlib.axes import Axes

COLUMNS = [
    "method", "fraction", "q", "r", "feedback", "epochs", "uplink_bits", "uplink_bits_spread",
    "accuracy", "spread", "seeds", "diverged",
]  # fmt: skip
"""Columns of the table that are drawn, or stand beside the figure."""


def main(table: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure from the table of compression; pdf, png and numbers go beside it."""
    use_style()
    points = with_rows(read_tidy(table), table)[COLUMNS]
    points = marked(
        marked(points, "best_of_method", ["fraction", "method"]), "pareto", ["fraction"]
    )
    drawn, looks = points[[*COLUMNS, "best_of_method", "pareto"]], shown(methods)
    save(draw(drawn, looks), svg, drawn, story(drawn, looks))


def marked(points: pd.DataFrame, column: str, alike: list[str]) -> pd.DataFrame:
    """Return the points with a column that tells which are on the front of those alike.

    Of points that coincide only the first is.
    """
    fronts = []
    for _, rows in points.groupby(alike):
        distinct = rows.drop_duplicates(["uplink_bits", "accuracy"])
        fronts += [*distinct.index[on_front(distinct["uplink_bits"], distinct["accuracy"])]]
    return points.assign(**{column: points.index.isin(fronts)})


def story(points: pd.DataFrame, looks: dict[str, ShownMethod]) -> Story:
    """Return whose settings are the best for their bits at the share with most settings."""
    share = max(points["fraction"].unique(), key=lambda at: ((points["fraction"] == at).sum(), at))
    of_share = "" if share == 1 else f" with {share_words(share)},"
    drawn = points[points["fraction"] == share]
    front = drawn[drawn["pareto"]]
    of_method = front["method"].value_counts()
    labels = [looks[name].figure_label for name in of_method.index]
    counts = [f"{count} of {label}" for label, count in zip(labels, of_method, strict=True)]
    whose = f"all {labels[0]}'s" if len(labels) == 1 < len(front) else listed(counts)
    cheapest = front.loc[front["uplink_bits"].idxmin()]
    best = front.loc[front["accuracy"].idxmax()]
    return Story(
        f"Of {len(drawn)} compressions{of_share} {len(front)} are the best for their bits: {whose}",
        "Test accuracy in per cent against the uplink of all clients up to the selected epoch, "
        "in bits on a logarithmic axis, a marker per setting and bars of one standard deviation. "
        f"The cheapest of the best sends {prefixed(cheapest['uplink_bits'])}bit for "
        f"{percent(cheapest['accuracy'])}, the most accurate "
        f"{prefixed(best['uplink_bits'])}bit for {percent(best['accuracy'])}.",
    )


def draw(points: pd.DataFrame, looks: dict[str, ShownMethod]) -> plt.Figure:
    """Return the figure: a marker per setting, a line through the best for their bits."""
    shares = sorted(points["fraction"].unique(), reverse=True)
    figure, panels = plt.subplots(
        len(shares), 1, figsize=(0.85 * TEXT_WIDTH, 2.5 * len(shares) + 0.5), sharex=True,
        layout="constrained", squeeze=False,
    )  # fmt: skip
    for axes, share in zip(panels[:, 0], shares, strict=True):
        here = points[points["fraction"] == share]
        _panel(axes, here, looks)
        axes.set_title(share_words(share), loc="left", fontsize="medium")
        low = 100 * (here["accuracy"] - here["spread"].fillna(0)).min()
        accuracy_axis(axes, low, 100 * points["accuracy"].max())
    panels[-1, 0].set_xlabel("uplink of all clients up to the selected epoch (bit, log scale)")
    handles = [axes.get_legend_handles_labels() for axes in panels[:, 0]]
    by_label = {
        label: handle for labelled in handles for handle, label in zip(*labelled, strict=True)
    }
    figure.legend(by_label.values(), by_label, loc="outside upper center", ncols=6)
    for axes, share in zip(panels[:, 0], shares, strict=True):
        front = points[points["pareto"] & (points["fraction"] == share)]
        name_points(axes, front_names(front, looks), 6.5)
    return figure


def front_names(front: pd.DataFrame, looks: dict[str, ShownMethod]) -> list[PointName]:
    """Return what is written beside the best: their compression, in their method's colour."""
    return [
        PointName(
            compression_words(row),
            row["uplink_bits"],
            100 * row["accuracy"],
            looks[row["method"]].colour,
        )
        for row in front.sort_values("uplink_bits").to_dict("records")
    ]


def _panel(axes: Axes, points: pd.DataFrame, looks: dict[str, ShownMethod]) -> None:
    front = points[points["pareto"]].sort_values("uplink_bits")
    axes.step(
        front["uplink_bits"], 100 * front["accuracy"], where="post", color=NEUTRAL, linewidth=0.8,
        label="best for its bits", zorder=1,
    )  # fmt: skip
    for method, look in looks.items():
        rows = points[points["method"] == method]
        for feedback, filling in ((True, look.colour), (False, "white")):
            chosen = rows[rows["feedback"].eq(False) != feedback]
            if len(chosen):
                points_with_bars(
                    axes, chosen["uplink_bits"], chosen, linestyle="none", marker=look.marker,
                    color=look.colour, markerfacecolor=filling, elinewidth=0.8,
                    label=look.figure_label + ("" if feedback else ", no feedback"),
                )  # fmt: skip
    axes.set_xscale("log")
