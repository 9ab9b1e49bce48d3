"""Plot an experiment of one's own: the score along its longest numeric axis, a line for each
combination of the other axes that vary.

A setting that leaves the axis at a default of none, such as no epsilon, is a dotted level. Where no
axis has two numbers, the axis has categories, each a place with a point for each combination.
"""

from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import points_with_bars
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.story import Story, with_rows
from fbftl.findings.style import CYCLE, TEXT_WIDTH, save, use_style
from fbftl.findings.wording import axis_name, words
from fbftl.ground.csv_tables import read_table
from matplotlib.axes import Axes
from pandas.api.types import is_bool_dtype, is_numeric_dtype

SCORES = {
    "test_accuracy": ("test accuracy (%)", 100),
    "balanced_accuracy": ("balanced accuracy (%)", 100),
    "rouge1": ("ROUGE-1 (%)", 1),
}
"""Titles of what the table may have, and what makes a percentage of it."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
"""Of lines in turn; there are seven and ten colours, so that seventy lines differ."""

DECADES = 30
"""Largest over smallest value from which on an axis is logarithmic."""


def main(
    table: str, svg: str, along: str, varying: Sequence[str], methods: list[dict[str, Any]]
) -> None:
    """Draw the figure from the experiment's table; pdf, png and numbers go beside it.

    Args:
        table: path of the table.
        svg: path of the svg.
        along: the axis that lines run along.
        varying: all axes that vary.
        methods: the methods of the runs.
    """
    use_style()
    rows = with_rows(read_table(table), table)
    score = next(name for name in SCORES if name in rows)
    others = [axis for axis in varying if axis != along]
    looks = shown(methods)
    figure = draw(rows, score, along, others, looks)
    save(figure, svg, rows, story(rows, score, along, looks))


def story(rows: pd.DataFrame, score: str, along: str, looks: dict[str, ShownMethod]) -> Story:
    """Return where the score is highest along the axis."""
    (title, factor), best = SCORES[score], rows.loc[rows[score].idxmax()]
    name, categories = title.removesuffix(" (%)"), has_categories(rows[along])
    place = named(along, best[along], looks)
    where = place if place.startswith("without") else f"{'with' if categories else 'at'} {place}"
    marks = "a point" if categories else "a line"
    level = "a setting that leaves the axis at a default of none is a dotted level"
    return Story(
        f"The highest mean {name}, {factor * best[score]:.1f}%, is {where}",
        f"Mean {name} in per cent along {axis_name(along)}, an axis of the study, {marks} for each "
        "combination of the other axes, with bars of one standard deviation over seeds"
        + ("." if categories else f"; {level}."),
    )


def has_categories(values: pd.Series) -> bool:
    """Tell whether the values of an axis are categories: no two of them are different numbers."""
    is_number = is_numeric_dtype(values) and not is_bool_dtype(values)
    return not is_number or values.nunique() < 2


def draw(
    rows: pd.DataFrame, score: str, along: str, others: Sequence[str], looks: dict[str, ShownMethod]
) -> plt.Figure:
    """Return the figure; bars are one standard deviation over seeds."""
    title, factor = SCORES[score]
    figure, axes = plt.subplots(figsize=(0.75 * TEXT_WIDTH, 3.2), layout="constrained")
    lines = list(by_line(rows, others, looks))
    pairs = zip(cycle(CYCLE), islice(cycle(MARKERS), len(lines)), strict=False)
    categories = has_categories(rows[along])
    places, values = pd.factorize(rows[along], use_na_sentinel=False)
    for number, ((label, line), (colour, marker)) in enumerate(zip(lines, pairs, strict=False)):
        look = {"scale": factor, "color": colour, "marker": marker, "label": label}
        if categories:
            beside = 0.6 * ((number + 0.5) / len(lines) - 0.5)
            at = pd.Series(places, rows.index)[line.index] + beside
            points_with_bars(axes, at, line, score, linestyle="none", **look)
            continue
        points = line[line[along].notna()].sort_values(along)
        if len(points):
            points_with_bars(axes, points[along], points, score, **look)
        for level in factor * line.loc[line[along].isna(), score]:
            without = f"{label}, without {axis_name(along)}".removeprefix(", ")
            axes.axhline(level, color=colour, linestyle=":", label=without)
    if categories:
        names = [named(along, value, looks) for value in values]
        slanted = {"rotation": 20, "ha": "right"} if len("".join(names)) > 60 else {}
        axes.set_xticks(range(len(values)), names, **slanted)
    else:
        along_axis(axes, rows[along].dropna(), along)
    axes.set_ylabel(title)
    if any(label for label, _ in lines) or (not categories and rows[along].isna().any()):
        figure.legend(loc="outside lower center", ncols=2, fontsize=7)
    return figure


def by_line(
    rows: pd.DataFrame, others: Sequence[str], looks: dict[str, ShownMethod]
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows that share all other axes, with what tells them apart in a legend.

    An axis that a line leaves at a default of none is not in its label.
    """
    if not others:
        yield "", rows
        return
    for values, line in rows.groupby(list(others), dropna=False, sort=False):
        pairs = zip(others, values, strict=True)
        names = [named(axis, value, looks) for axis, value in pairs if pd.notna(value)]
        yield ", ".join(names) or f"without {' and '.join(map(axis_name, others))}", line


def named(axis: str, value: Any, looks: dict[str, ShownMethod]) -> str:
    """Return how a legend names the value of an axis."""
    if pd.isna(value):
        return f"without {axis_name(axis)}"
    if axis == "method":
        return looks[value].figure_label
    return words(axis, f"{value:g}" if isinstance(value, float) else str(value))


def along_axis(axes: Axes, values: pd.Series, along: str) -> None:
    """Make the abscissa: logarithmic where positive values span decades."""
    axes.set_xlabel(axis_name(along))
    if values.min() > 0 and values.max() >= DECADES * values.min():
        axes.set_xscale("log")
        axes.set_xlabel(f"{axis_name(along)} (log scale)")
