"""The look of every figure: sizes, fonts, axes, labels.

Colours are Okabe and Ito's, safe for colour-blind readers and in greyscale print.
"""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fbftl.findings.story import Story
from fbftl.ground.files import replacing, write_text

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMN_WIDTH = 3.5
"""Width of one printed column in inches."""

TEXT_WIDTH = 7.16
"""Width of two printed columns in inches."""


NEUTRAL = "#444444"

DIVERGED = "†"
"""Stands behind an accuracy if a repetition diverged, in tables and figures."""

LABEL_SIZE = 7.5
"""Points of a label in a figure."""


SPREADING = 1.15
"""Factor between neighbouring methods on a logarithmic axis that they share."""


@dataclass(frozen=True)
class EndLabel:
    """A line's name beside its last point.

    y: data coordinate of the line's end.
    """

    text: str
    y: float
    color: str | tuple[float, ...]


MARGIN = 0.1
"""Inches around all that is drawn."""

SMALL, MEDIUM = 7.92, 8.64
"""Points of ticks and legends, and of all other text."""

CYCLE = (
    "#4C72B0", "#DD8452", "#55A868", "#C44E52", "#8172B3",
    "#937860", "#DA8BC3", "#8C8C8C", "#CCB974", "#64B5CD",
)  # fmt: skip
"""Colours of what is given none."""

LOOK: dict[str, Any] = {
    "figure.dpi": 150,
    "savefig.dpi": 300,
    "font.family": "DejaVu Sans",
    "font.size": MEDIUM,
    "text.color": "0.15",
    "axes.axisbelow": True,
    "axes.edgecolor": "0.15",
    "axes.grid": True,
    "axes.labelcolor": "0.15",
    "axes.labelsize": MEDIUM,
    "axes.linewidth": 1,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": MEDIUM,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.5,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "legend.title_fontsize": MEDIUM,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "lines.solid_capstyle": "round",
    "patch.edgecolor": "white",
    "patch.force_edgecolor": True,
    "patch.linewidth": 0.8,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "fbftl",
}
"""What all figures share, beside their ticks."""

TICKS: dict[str, Any] = {
    "color": "0.15",
    "labelsize": SMALL,
    "major.size": 4.8,
    "major.width": 1,
    "minor.size": 3.2,
    "minor.width": 0.8,
}
"""Those of both axes."""


def use_style() -> None:
    """Set matplotlib for print; every plotting script calls this first."""
    import matplotlib as mpl
    from matplotlib.rcsetup import cycler

    mpl.use("Agg")
    look: dict[Any, Any] = dict(LOOK)
    look |= {f"{axis}tick.{name}": value for axis in "xy" for name, value in TICKS.items()}
    mpl.rcParams.update(look)
    mpl.rcParams["axes.prop_cycle"] = cycler(color=CYCLE)


CROWDED = 0.11
"""Share of a packet loss axis within which two ticks have room for one label."""


def packet_loss_axis(axes: "Axes", rates: Sequence[float]) -> None:
    """Make the x axis, which holds 1 - PLR, one of packet loss rates that grow to the right.

    Every rate has a tick. From the left, a tick is labelled if its label has room.

    Args:
        axes: with everything drawn.
        rates: the packet loss rates below 1, ascending.
    """
    positions = [-math.log10(1 - rate) for rate in rates]
    labels, free_from = [], -math.inf
    for rate, position in zip(rates, positions, strict=True):
        labels.append(f"{rate:g}" if position >= free_from else "")
        if labels[-1]:
            free_from = position + CROWDED * (positions[-1] - positions[0])
    axes.set_xscale("log")
    axes.set_xticks([1 - rate for rate in rates], labels)
    axes.minorticks_off()
    axes.invert_xaxis()
    axes.set_xlabel("packet loss rate (log scale)")


TOWARDS = 101
"""Per cent to which distances are taken where an axis is stretched; 100 % itself has one, of 1."""

HIGHEST_DRAWN = 100.5
"""Per cent at which such an axis ends, so that a marker at 100 % is whole."""

STRETCHED_TICKS = (0, 50, 80, 90, 95, 98, 99, 100)


CROWDED_ABOVE = 95
"""Per cent above which accuracies are told apart by an axis that is stretched."""


def accuracy_axis(axes: "Axes", lowest: float, highest: float, what: str = "accuracy") -> None:
    """Make the y axis, which holds per cents, end where accuracies do, with all markers whole.

    Where some are near 100 %, it is one of the logarithm of what is missing to 101 %, so that they
    are told apart. Its label says so.

    Args:
        axes: with everything drawn.
        lowest, highest: what is drawn, in per cent.
        what: the score of the axis.
    """
    import numpy as np

    if highest < CROWDED_ABOVE:
        room = 0.05 * (highest - lowest) + 1
        axes.set_ylim(max(lowest - room, -room), highest + room)
        axes.set_ylabel(f"{what} (%)")
        return
    axes.set_yscale(
        "function",
        functions=(
            lambda score: -np.log10(TOWARDS - np.clip(score, None, HIGHEST_DRAWN)),
            lambda height: TOWARDS - 10.0**-height,
        ),
    )
    below = max((tick for tick in STRETCHED_TICKS if tick <= lowest), default=0)
    axes.set_ylim(min(below, lowest), HIGHEST_DRAWN)
    axes.set_yticks([tick for tick in STRETCHED_TICKS if tick >= below])
    axes.set_yticklabels([f"{tick}" for tick in STRETCHED_TICKS if tick >= below])
    axes.set_ylabel(f"{what} (%), stretched towards 100")


PRINTED: dict[str, Any] = {
    "color": "#777777",
    "linestyle": (0, (1, 1.5)),
    "linewidth": 1.0,
    "marker": "D",
    "markerfacecolor": "white",
    "markersize": 4,
}
"""How printed numbers are drawn, and nothing that is measured here: hollow diamonds, dotted."""


def aside(position: float, count: int) -> float:
    """Return the factor that sets the marker of one of `count` methods beside the others' on a
    logarithmic axis, where all have the same abscissae.
    """
    return SPREADING ** (position - (count - 1) / 2)


THIN = 0.5
"""Points of the edge around a marker; the usual one leaves little of a star."""


def edged(marker: str, colour: str) -> dict[str, Any]:
    """Return how matplotlib draws a marker that lies on lines: with a thin white edge around it.

    A marker of lines alone, such as x, is all edge, and so keeps its colour there; a letter, such
    as $V$, has thin strokes, which get an edge of their colour.
    """
    from matplotlib.lines import Line2D

    if marker in Line2D.filled_markers:
        edge = {"markeredgecolor": "white", "markeredgewidth": THIN}
    else:
        edge = {"markeredgecolor": colour}
    if marker.startswith("$"):
        edge["markeredgewidth"] = THIN
    return {"marker": marker, "color": colour, **edge}


def ordered_colors(count: int) -> list[tuple[float, ...]]:
    """Return colours for an ordered axis such as a fraction, dark to light, none too light."""
    import matplotlib as mpl

    viridis = mpl.colormaps["viridis"]
    return [viridis((index + 1) / (count + 2))[:3] for index in range(count)]


def label_ends(axes: "Axes", labels: Sequence[EndLabel]) -> None:
    """Write names right of the axes where the lines end, moved apart if they would overlap.

    Call it when every panel is drawn: later limits would move the lines away.
    """
    axes.figure.canvas.draw()
    gap = 1.25 * LABEL_SIZE * axes.figure.dpi / 72
    ordered = sorted(labels, key=lambda label: label.y)
    wanted = [axes.transData.transform((0, label.y))[1] for label in ordered]
    for label, pixel in zip(ordered, spread_out(wanted, gap), strict=True):
        height = axes.transAxes.inverted().transform((0, pixel))[1]
        axes.text(
            1.02,
            height,
            label.text,
            color=label.color,
            fontsize=LABEL_SIZE,
            va="center",
            transform=axes.transAxes,
        )


def spread_out(positions: Sequence[float], gap: float) -> list[float]:
    """Return ascending places moved as little as needed to be `gap` apart, groups centred."""
    groups: list[list[float]] = []
    for position in positions:
        groups.append([position])
        while len(groups) > 1 and _start(groups[-1], gap) < _end(groups[-2], gap) + gap:
            groups[-2:] = [groups[-2] + groups[-1]]
    return [_start(group, gap) + i * gap for group in groups for i in range(len(group))]


def _start(group: list[float], gap: float) -> float:
    return sum(group) / len(group) - gap * (len(group) - 1) / 2


def _end(group: list[float], gap: float) -> float:
    return _start(group, gap) + gap * (len(group) - 1)


HEADLINE = 9.5
"""Points of the title of a figure."""

LETTER = 0.62
"""Width of a letter of a title over its size, on average and with room to spare."""


def draw_title(figure: "Figure", title: str) -> None:
    """Write a figure's title above all that is drawn, in as many lines as it takes.

    Call it when nothing moves any more.
    """
    box = figure.get_tightbbox()
    letters = int(box.width * 72 / (LETTER * HEADLINE))
    figure.text(
        box.x0 / figure.get_figwidth(),
        (box.y1 + MARGIN) / figure.get_figheight(),
        "\n".join(textwrap.wrap(title, letters)),
        fontsize=HEADLINE,
        fontweight="bold",
        va="bottom",
    )


def save(figure: "Figure", svg: str | Path, numbers: "pd.DataFrame", story: Story) -> None:
    """Write a figure as svg, pdf and png beside its plotted numbers as csv.

    It is laid out and measured once, which takes longer than to draw it. The bytes repeat for equal
    input: no dates in the metadata, a fixed svg salt.

    Args:
        figure: the drawn figure.
        svg: path of the svg; the other files differ only in their suffix.
        numbers: the plotted values, one row per drawn point.
        story: its title, which is drawn above it, and its alternative text; each file has both in
            its metadata.
    """
    svg = Path(svg)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    draw_title(figure, story.title)
    box = figure.get_tightbbox().padded(MARGIN)
    for legend in figure.legends:
        # Else it follows the edges of the picture, which the title moves.
        anchor = legend.get_bbox_to_anchor().transformed(figure.transFigure.inverted())
        legend.set_bbox_to_anchor(anchor, transform=figure.transFigure)
    title, seen = story.plain_title, story.alternative
    metadata = {
        "svg": {"Date": None, "Title": title, "Description": seen},
        "pdf": {"CreationDate": None, "Title": title, "Subject": seen},
        "png": {"Software": None, "Title": title, "Description": seen},
    }
    for suffix, of_file in metadata.items():
        with replacing(svg.with_suffix(f".{suffix}")) as temporary:
            figure.savefig(temporary, metadata=of_file, bbox_inches=box)
    write_text(svg.with_suffix(".csv"), numbers.to_csv(index=False, lineterminator="\n"))
