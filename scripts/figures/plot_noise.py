"""Plot accuracy against the paper's relative noise, drawn once per upload or anew every epoch."""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import PointName, line_with_band, name_lines
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.story import Story, compared, measured, moved, percent, with_rows
from fbftl.findings.style import COLUMN_WIDTH, save, use_style
from fbftl.ground.csv_tables import read_table

DRAWS = {"once": ("-", ""), "redrawn": ("--", ", anew each epoch")}
"""Line and what follows a method's name, by when noise is drawn."""


def main(table: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure from the table of the experiment; pdf, png and numbers go beside it."""
    use_style()
    points, looks = plotted(with_rows(read_table(table), table)), shown(methods)
    save(draw(points, looks), svg, points, story(points, looks))


def story(points: pd.DataFrame, looks: dict[str, ShownMethod]) -> Story:
    """Return what the most noise costs the method that has it, or two methods at the same noise."""
    once = points[points["noise_draw"] == "once"]
    largest = once.loc[once["sigma"].idxmax()]
    clean = once[(once["sigma"] == 0) & (once["method"] == largest["method"])].iloc[0]
    label = looks[largest["method"]].figure_label
    where = ("without noise", f"at σ = {largest['sigma']:g}")
    title = moved(f"{label}'s accuracy", where, (measured(clean), measured(largest)))
    others = once[once["method"] != largest["method"]]
    shared = others[others["sigma"].isin(once.loc[once["method"] == largest["method"], "sigma"])]
    if shared["sigma"].max() > 0:
        other = shared.loc[shared["sigma"].idxmax()]
        same = once["sigma"].eq(other["sigma"]) & once["method"].eq(largest["method"])
        names = (looks[other["method"]].figure_label, label)
        sides = (measured(other), measured(once[same].iloc[0]))
        title = f"At noise σ = {other['sigma']:g} {compared(names, sides)}"
    return Story(
        title,
        "Test accuracy in per cent against the paper's relative noise σ, which guarantees nothing, "
        "a line per method inside a band of one standard deviation over seeds; dashed where the "
        f"noise is drawn anew each epoch. The most noise, σ = {largest['sigma']:g}, leaves {label} "
        f"{percent(largest['accuracy'])} of {percent(clean['accuracy'])}.",
    )


def plotted(table: pd.DataFrame) -> pd.DataFrame:
    """Return the points to draw; without noise both ways of drawing it are the same run."""
    scores = ["sigma", "accuracy", "spread", "seeds", "diverged"]
    columns = ["method", "noise_draw", *scores]
    pairs = table[["method", "noise_draw"]].drop_duplicates()
    clean = table.loc[table["sigma"] == 0, ["method", *scores]]
    noisy = table.loc[table["sigma"] > 0, columns]
    return pd.concat([pairs.merge(clean, on="method"), noisy])[columns].sort_values(columns[:3])


def draw(table: pd.DataFrame, looks: dict[str, ShownMethod]) -> plt.Figure:
    """Return the figure of mean accuracies with one standard deviation over seeds as a band."""
    figure, axes = plt.subplots(
        figsize=(1.25 * COLUMN_WIDTH, 0.8 * COLUMN_WIDTH), layout="constrained"
    )
    ends = []
    for (method, noise), rows in table.groupby(["method", "noise_draw"], sort=False):
        look, (style, ending) = looks[method], DRAWS[noise]
        line_with_band(
            axes, rows["sigma"], rows, linestyle=style, color=look.colour, marker=look.marker
        )
        last = rows.iloc[-1]
        ends.append(PointName(
            look.figure_label + ending, last["sigma"], 100 * last["accuracy"], look.colour
        ))  # fmt: skip
    axes.set_ylim(0, 103)
    axes.set_xlabel("relative noise σ (in R std(g), no guarantee)")
    axes.set_ylabel("test accuracy (%)")
    name_lines(axes, ends)
    return figure
