"""Plot accuracy against uplink for every message and head, with the front that none beats."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.findings.marks import PointName, name_points, points_with_bars
from fbftl.findings.runs import read_tidy
from fbftl.findings.story import Story, capitalised, percent, with_rows
from fbftl.findings.style import (
    NEUTRAL,
    TEXT_WIDTH,
    EndLabel,
    accuracy_axis,
    label_ends,
    save,
    use_style,
)
from fbftl.findings.uploads import by_upload

NUMBERS = ["name", "message", "head", "aggregation", "bits_per_client", "accuracy", "spread"]


def main(table: str, svg: str) -> None:
    """Draw the figure from the table of uploads; pdf, png and numbers go beside it."""
    use_style()
    rows = with_rows(read_tidy(table), table)
    save(draw(rows), svg, rows[[*NUMBERS, "pareto", "diverged"]], story(rows))


def story(rows: pd.DataFrame) -> Story:
    """Return the most accurate upload and the cheapest one, with what a client sends."""
    chosen = rows.loc[[rows["accuracy"].idxmax(), rows["bits_per_client"].idxmin()]]
    parts = [
        f"{row['name']} has {percent(row['accuracy'])} for {row['bits_per_client'] / 8e3:.2g} kB "
        "per client"
        for row in chosen.drop_duplicates("name").to_dict("records")
    ]
    return Story(
        capitalised("; ".join(parts)),
        "Test accuracy in per cent against the uplink per client in kilobytes, on a logarithmic "
        "axis, a marker for each message and head with a bar of one standard deviation over seeds; "
        "a stepped line joins those that no cheaper one betters.",
    )


def draw(rows: pd.DataFrame) -> plt.Figure:
    """Return the figure; bars are one standard deviation over seeds."""
    figure, axes = plt.subplots(figsize=(TEXT_WIDTH, 4.2), layout="constrained")
    names = []
    for upload, upload_rows in by_upload(rows):
        points_with_bars(
            axes, upload_rows["bits_per_client"] / 8e3, upload_rows, linestyle="none",
            label=upload.label, **upload.look,
        )  # fmt: skip
        names += [
            PointName(
                upload.label, row["bits_per_client"] / 8e3, 100 * row["accuracy"],
                upload.look["color"],
            )
            for row in upload_rows.to_dict("records")
        ]  # fmt: skip
    front = rows[rows["pareto"] == "yes"].sort_values("bits_per_client")
    # More bits buy nothing more, so the line goes on to the most that any upload takes.
    bits = [*front["bits_per_client"], rows["bits_per_client"].max()]
    best = [*front["accuracy"], *front["accuracy"].iloc[-1:]]
    axes.step(
        np.array(bits[: len(best)]) / 8e3,
        100 * np.array(best),
        where="post",
        color=NEUTRAL,
        linewidth=0.8,
        zorder=0,
    )
    axes.set(xscale="log", xlabel="uplink per client (kB, log scale)")
    axes.margins(x=0.12)
    low = 100 * (rows["accuracy"] - rows["spread"].fillna(0)).min()
    accuracy_axis(axes, low, 100 * rows["accuracy"].max())
    if len(front):
        last = 100 * float(front["accuracy"].iloc[-1])
        label_ends(axes, [EndLabel("best for its bits", last, NEUTRAL)])
    name_points(axes, sorted(names, key=lambda name: -name.y), 6.5)
    return figure
