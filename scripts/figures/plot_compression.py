"""Plot accuracy of every compression that was run, a row each, grouped by method (paper, Table V).

A panel for each share of the clients that settings were run on.
"""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import points_across
from fbftl.findings.runs import read_tidy
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.story import Story, measured, moved, percent, with_rows
from fbftl.findings.style import LABEL_SIZE, TEXT_WIDTH, save, use_style
from fbftl.findings.wording import compression_words, share_words
from matplotlib.axes import Axes

COLUMNS = [
    "method", "fraction", "q", "r", "feedback", "kept", "accuracy", "spread", "seeds", "diverged",
]  # fmt: skip

ROW = 0.16
"""Inches of a row."""


def main(table: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure from the table of compression; pdf, png and numbers go beside it."""
    use_style()
    rows, looks = with_rows(read_tidy(table), table)[COLUMNS], shown(methods)
    save(draw(rows, looks), svg, rows, story(rows, looks))


def story(rows: pd.DataFrame, looks: dict[str, ShownMethod]) -> Story:
    """Return what becomes of the method with the most settings under its strongest compression."""
    whole = rows[rows["fraction"] == rows["fraction"].max()]
    name = whole["method"].mode().iloc[-1]
    settings = whole[whole["method"] == name]
    size = settings["q"] * settings["r"]
    most, least = settings.loc[size.idxmax()], settings.loc[size.idxmin()]
    where = (f"at {compression_words(most)}", f"at {compression_words(least)}")
    title = moved(
        f"{looks[name].figure_label}'s accuracy", where, (measured(most), measured(least))
    )
    lowest = rows.loc[rows["accuracy"].idxmin()]
    return Story(
        title,
        f"A row for each of the {len(rows)} settings that were run, grouped by method, with its "
        "test accuracy in per cent and a bar of one standard deviation over seeds. The lowest is "
        f"{looks[lowest['method']].figure_label} at {compression_words(lowest)} on "
        f"{share_words(lowest['fraction'])}, {percent(lowest['accuracy'])}.",
    )


def draw(rows: pd.DataFrame, looks: dict[str, ShownMethod]) -> plt.Figure:
    """Return the figure; settings that were not run have no row."""
    shares = sorted(rows["fraction"].unique(), reverse=True)
    places = [arranged(rows[rows["fraction"] == share], looks) for share in shares]
    longest = max(len(lines) for lines in places)
    figure, panels = plt.subplots(
        1, len(shares), figsize=(TEXT_WIDTH, ROW * longest + 0.6), sharex=True,
        layout="constrained", squeeze=False,
    )  # fmt: skip
    # Names of rows shall not touch the numbers of the panel before.
    figure.get_layout_engine().set(wspace=0.08)
    for axes, share, lines in zip(panels[0], shares, places, strict=True):
        _panel(axes, lines, rows)
        axes.set_ylim(longest - 0.5, -0.5)
        axes.set_title(share_words(share), loc="left", fontsize="medium")
        axes.set_xlabel("test accuracy (%)")
    right = max(axes.get_xlim()[1] for axes in panels[0])
    panels[0][0].set_xlim(left=max(panels[0][0].get_xlim()[0], 0), right=right)
    return figure


Line = tuple[ShownMethod, int | None]
"""A line of a panel: a method's name, or one of its settings, by its index in the table."""


def arranged(rows: pd.DataFrame, looks: dict[str, ShownMethod]) -> list[Line]:
    """Return the lines of a panel from above: each method, then its settings, most bits first."""
    lines: list[Line] = []
    for name, look in looks.items():
        settings = rows[rows["method"] == name]
        if len(settings):
            ordered = settings.sort_values(["q", "r"], ascending=False, kind="stable")
            lines += [(look, None), *((look, index) for index in ordered.index)]
    return lines


def _panel(axes: Axes, lines: list[Line], rows: pd.DataFrame) -> None:
    """Draw the lines of one share of the clients, with each accuracy written at the right edge."""
    names = []
    for height, (look, index) in enumerate(lines):
        if index is None:
            names.append(look.figure_label)
            continue
        row = rows.loc[index]
        names.append(compression_words(row))
        points_across(
            axes, pd.Series([height]), rows.loc[[index]], linestyle="none", marker=look.marker,
            color=look.colour, markersize=5, elinewidth=0.9,
            markerfacecolor="white" if row["feedback"] is False else look.colour,
        )  # fmt: skip
        axes.text(
            1.01, height, f"{100 * row['accuracy']:.1f}", transform=axes.get_yaxis_transform(),
            fontsize=LABEL_SIZE, va="center",
        )  # fmt: skip
    axes.set_yticks(range(len(lines)), names)
    for label, (look, index) in zip(axes.get_yticklabels(), lines, strict=True):
        if index is None:
            label.set(color=look.colour, fontweight="bold")
    axes.tick_params(axis="y", length=0)
