"""Plot each framework's accuracy against what a client sends for it: a point per framework.

Where a framework has several settings in a panel, each point says in what they differ.
"""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import PointName, name_points, points_with_bars
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.story import Story, compared, measured, percent, with_rows
from fbftl.findings.style import TEXT_WIDTH, accuracy_axis, edged, save, use_style
from fbftl.findings.tables import prefixed
from fbftl.findings.wording import setting_words, words
from fbftl.ground.csv_tables import read_table


def main(table: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        table: the frameworks' table.
        svg: path of the svg.
        methods: the methods of its rows.
    """
    use_style()
    rows = with_rows(read_table(table).dropna(subset=["accuracy"]), table)
    columns = ["method", "partition", "variant", "up", "accuracy", "spread", "seeds", "diverged"]
    looks = shown(methods)
    rows = rows[[column for column in columns if column in rows]]
    save(draw(rows, looks), svg, rows, story(rows, looks))


def story(rows: pd.DataFrame, looks: dict[str, ShownMethod]) -> Story:
    """Return how the most accurate framework compares with the one that sends least."""
    first = rows[rows["partition"] == sorted(rows["partition"].unique())[0]]
    best, cheapest = first.loc[first["accuracy"].idxmax()], first.loc[first["up"].idxmin()]
    names = tuple(looks[row["method"]].figure_label for row in (best, cheapest))
    title = f"{names[0]} is the most accurate and sends least: {percent(best['accuracy'])}"
    if best.name != cheapest.name:
        title = (
            f"A client of {names[1]} sends {prefixed(cheapest['up'])}bit, one of {names[0]} "
            f"{prefixed(best['up'])}bit; {compared(names, (measured(best), measured(cheapest)))}"
        )
    return Story(
        title,
        "Test accuracy in per cent against the bits that a client sends, on a logarithmic axis, a "
        "named point per framework with a bar of one standard deviation; a panel for each way in "
        "which the labels are dealt to the clients.",
    )


def draw(rows: pd.DataFrame, looks: dict[str, ShownMethod]) -> plt.Figure:
    """Return the figure: a panel for each way in which labels are dealt, below each other."""
    partitions = sorted(rows["partition"].unique())
    figure, panels = plt.subplots(
        len(partitions), 1, figsize=(0.9 * TEXT_WIDTH, 2.6 * len(partitions)), sharex=True,
        squeeze=False, layout="constrained",
    )  # fmt: skip
    names = {}
    for axes, name in zip(panels[:, 0], partitions, strict=True):
        panel_rows = rows[rows["partition"] == name]
        names[axes] = [
            named
            for method, settings in panel_rows.groupby("method", sort=False)
            for named in _points(axes, settings, looks[str(method)])
        ]
        spread = panel_rows["spread"].fillna(0)
        low = 100 * (panel_rows["accuracy"] - spread).min()
        accuracy_axis(axes, low, min(100 * (panel_rows["accuracy"] + spread).max(), 100))
        dealt = words("partition", name) if name == "shards" else name
        axes.set_title(f"Labels: {dealt}", loc="left", fontsize="medium")
        axes.set_xscale("log")
        axes.margins(x=0.08)
    panels[-1, 0].set_xlabel("sent by a client (bit, log scale)")
    for axes, named in names.items():
        name_points(axes, named)
    return figure


def _points(axes: plt.Axes, settings: pd.DataFrame, look: ShownMethod) -> list[PointName]:
    """Draw a framework's settings; return their names, with what tells them apart."""
    points_with_bars(
        axes, settings["up"], settings, markersize=6, linestyle="none",
        **edged(look.marker if not look.marker.startswith("$") else "o", look.colour),
    )  # fmt: skip
    return [
        PointName(
            ", ".join(filter(None, [look.figure_label, difference])),
            point["up"], 100 * point["accuracy"], look.colour,
        )
        for point, difference in zip(
            settings.to_dict("records"), what_differs(list(settings["variant"])), strict=True
        )
    ]  # fmt: skip


def what_differs(variants: list[str]) -> list[str]:
    """Return in words of each setting, written as "axis value, axis value", what not all have."""
    named = [
        dict(part.split(" ", 1) for part in variant.split(", ")) if isinstance(variant, str) else {}
        for variant in variants
    ]
    shared = set(named[0].items()).intersection(*(axes.items() for axes in named))
    return [
        setting_words({axis: value for axis, value in axes.items() if (axis, value) not in shared})
        for axes in named
    ]
