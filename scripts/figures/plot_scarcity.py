"""Plot accuracy against packet loss rate, a line per share of clients (paper, Fig. 8).

Where the experiment varies methods or further axes, a line per share and values of these.

A lost upload is lost for good; where an experiment has the public script's mask alone, it is that
(audit row A2). The paper's points for its own task are drawn beside.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings.marks import PointName, line_with_band, name_lines
from fbftl.findings.runs import read_tidy, varying
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.story import Story, measured, moved, with_rows
from fbftl.findings.style import (
    PRINTED,
    TEXT_WIDTH,
    ordered_colors,
    packet_loss_axis,
    save,
    use_style,
)
from fbftl.findings.wording import share_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AXES = ("fraction", "plr", "loss")
"""What the experiment is about."""

PANELS = {
    "persistent": "Lost for good",
    "reshuffled": "Reshuffled (public script)",
}

SEEN = {"persistent": "loss for good", "reshuffled": "the public script's reshuffling"}
"""What a panel is of, in the alternative text."""


def main(runs: str, fig8: str, svg: str, axes: dict[str, Any]) -> None:
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        runs: an experiment's tidy table.
        fig8: the published points.
        svg: path of the svg.
        axes: those of scarcity, with their defaults.
    """
    use_style()
    read = with_rows(read_tidy(runs, axes), runs)
    further = varying(read, AXES)
    table = mean_and_spread(read, [*further, *AXES])
    save(draw(table, published.read(fig8), further), svg, table, story(table))


def story(table: pd.DataFrame) -> Story:
    """Return what the most loss does where most clients take part: for good, if any is."""
    lasting = table[(table["loss"] == _loss(table)) | (table["plr"] == 0)]
    whole = lasting[lasting["fraction"] == lasting["fraction"].max()].sort_values("plr")
    first, last = whole.iloc[0], whole.iloc[-1]
    fewest = lasting.loc[lasting["fraction"].idxmin()]
    if len(whole) > 1:
        what = f"Accuracy with {share_words(first['fraction'])}"
        where = (loss_words(first["plr"]), loss_words(last["plr"]))
    else:
        what, last = "Accuracy", fewest
        where = tuple(
            f"with {share_words(row['fraction'])} {loss_words(row['plr'])}" for row in (first, last)
        )
    return Story(
        moved(what, where, (measured(first), measured(last))),
        "Test accuracy in per cent against the packet loss rate, on an axis of the logarithm of "
        "what arrives, a line per share of the clients inside a band of one standard deviation; a "
        f"panel for {SEEN[_loss(table)]}, and for the points that the paper prints of another "
        "task. "
        f"{share_words(fewest['fraction']).capitalize()} have "
        f"{100 * fewest['accuracy']:.1f}% {loss_words(fewest['plr'])}.",
    )


def _loss(table: pd.DataFrame) -> str:
    """Return the first meaning of a loss under which anything is lost, or any where nothing is."""
    lossy = table[table["plr"] > 0]
    shown = table if lossy.empty else lossy
    return next(loss for loss in PANELS if (shown["loss"] == loss).any())


def loss_words(rate: float) -> str:
    """Return how a sentence writes a packet loss rate."""
    return f"at a packet loss rate of {rate:g}" if rate else "without loss"


def draw(table: pd.DataFrame, fig8: pd.DataFrame, further: Sequence[str] = ()) -> "Figure":
    """Return the figure: mean accuracies with a band of one standard deviation over seeds, and the
    paper's points in a panel of their own, for its task is another.

    Args:
        table: a row per fraction, packet loss rate, meaning of a loss and further axis.
        fig8: the published points.
        further: axes that tell lines apart beside the fraction.
    """
    import matplotlib.pyplot as plt

    figure, (ours, paper) = plt.subplots(1, 2, figsize=(TEXT_WIDTH, 2.5), sharey=True)
    figure.subplots_adjust(wspace=0.5)
    loss, rates = _loss(table), sorted(table["plr"].unique())
    # Without loss the two meanings are the same run.
    ends = draw_lines(ours, table[(table["loss"] == loss) | (table["plr"] == 0)], further)
    ours.set_title(PANELS[loss], loc="left", fontsize="medium")
    draw_published(paper, fig8, max(rates))
    paper.set_title("Printed, CIFAR-10", loc="left", fontsize="medium")
    for axes in (ours, paper):
        packet_loss_axis(axes, rates)
    name_lines(ours, ends)
    ours.set_ylabel("test accuracy (%)")
    return figure


def draw_lines(axes: "Axes", table: pd.DataFrame, further: Sequence[str]) -> list[PointName]:
    """Draw a line with its band per fraction and further axes; return the names of their ends."""
    lines = table.sort_values("fraction", ascending=False, kind="stable").groupby(
        ["fraction", *further], sort=False, dropna=False
    )
    ends = []
    for ((fraction, *others), rows), color in zip(lines, ordered_colors(len(lines)), strict=True):
        rows = rows.sort_values("plr")
        line_with_band(axes, 1 - rows["plr"], rows, color=color, marker="o", markersize=3.5)
        name = ", ".join([share_words(fraction).removesuffix(" of the clients"), *map(str, others)])
        end = PointName(name, 1 - rows["plr"].iloc[-1], 100 * rows["accuracy"].iloc[-1], color)
        ends.append(end)
    return ends


def draw_published(axes: "Axes", fig8: pd.DataFrame, highest: float) -> None:
    """Draw the paper's curve for all samples of its own task, up to a packet loss rate."""
    points = fig8[(fig8["series"] == "plotted") & (fig8["plr"] <= highest)]
    accuracy = 100 * points["printed"].astype(float)
    axes.plot(1 - points["plr"], accuracy, **PRINTED)
