"""Plot ROUGE-1 against packet loss rate, a line per share of clients (paper, Fig. 9).

The paper's points for its own task are drawn beside.
"""

from typing import TYPE_CHECKING, Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings.marks import PointName, line_with_band, name_lines
from fbftl.findings.runs import read_tidy
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


def main(runs: str, fig9: str, svg: str, axes: dict[str, Any]) -> None:
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        runs: an experiment's tidy table.
        fig9: the published points.
        svg: path of the svg.
        axes: those of scarcity, with their defaults.
    """
    use_style()
    table = scores(with_rows(read_tidy(runs, axes), runs))
    save(draw(table, published.read(fig9)), svg, table, story(table))


def story(table: pd.DataFrame) -> Story:
    """Return what the most loss does where most clients take part."""
    whole = table[table["fraction"] == table["fraction"].max()].sort_values("plr")
    ends = whole.assign(rouge1=whole["rouge1"] / 100, spread=whole["spread"] / 100)
    first, last = (ends.iloc[place] for place in (0, -1))
    where = ("without loss", f"at a packet loss rate of {last['plr']:g}")
    share = share_words(first["fraction"])
    return Story(
        moved(
            f"ROUGE-1 with {share}", where, (measured(first, "rouge1"), measured(last, "rouge1"))
        ),
        "ROUGE-1 of test summaries in per cent against the packet loss rate, on an axis of the "
        "logarithm of what arrives, a line per share of the clients inside a band of one standard "
        "deviation; in a panel of its own, with a scale of its own, what the paper prints of "
        "SAMSum.",
    )


def scores(runs: pd.DataFrame) -> pd.DataFrame:
    """Return mean and standard deviation over seeds of ROUGE-1 per fraction and loss rate."""
    return mean_and_spread(runs, ["fraction", "plr"], score="rouge1", name="rouge1")


def draw(table: pd.DataFrame, fig9: pd.DataFrame) -> "Figure":
    """Return the figure: mean scores with a band of one standard deviation over seeds, and the
    paper's points in a panel of their own, for its dialogues are others.
    """
    import matplotlib.pyplot as plt

    figure, (of_task, paper) = plt.subplots(1, 2, figsize=(TEXT_WIDTH, 2.6), width_ratios=(3, 2))
    figure.subplots_adjust(wspace=0.55)
    rates = sorted(table["plr"].unique())
    ends = draw_lines(of_task, table)
    draw_published(paper, fig9, max(rates))
    for axes, title in ((of_task, "This task"), (paper, "Printed, SAMSum (scale of its own)")):
        packet_loss_axis(axes, rates)
        axes.set_title(title, loc="left", fontsize="medium")
    of_task.set_ylabel("ROUGE-1 of test summaries (%)")
    paper.set_ylabel("ROUGE-1 (%)")
    name_lines(of_task, ends)
    return figure


def draw_lines(axes: "Axes", table: pd.DataFrame) -> list[PointName]:
    """Draw a line with its band per fraction; return the names of their ends."""
    fractions = sorted(table["fraction"].unique(), reverse=True)
    ends = []
    for fraction, color in zip(fractions, ordered_colors(len(fractions)), strict=True):
        rows = table[table["fraction"] == fraction].sort_values("plr")
        line_with_band(
            axes, 1 - rows["plr"], rows, "rouge1", scale=1, color=color, marker="o", markersize=3.5
        )
        end = rows.iloc[-1]
        ends.append(PointName(share_words(fraction), 1 - end["plr"], end["rouge1"], color))
    return ends


def draw_published(axes: "Axes", fig9: pd.DataFrame, highest: float) -> None:
    """Draw the paper's curve for its own task, up to a packet loss rate."""
    points = fig9[(fig9["series"] == "plotted") & (fig9["plr"] <= highest)]
    rouge1 = points["printed"].astype(float)
    axes.plot(1 - points["plr"], rouge1, **PRINTED)
