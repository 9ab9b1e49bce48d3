"""Packet loss rate against block loss rate for the paper's four packets (Figs. 6 and 7)."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.cost.architectures import vgg16
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.story import Story, percent
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, save, use_style
from fbftl.papers.fbftl.packets import loss_curves, packet_blocks
from matplotlib.ticker import PercentFormatter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAGNIFIED = 1e-3
"""Right end of Fig. 7."""

POINTS = 201


def main(svg: str | Path, methods: list[dict[str, Any]]) -> None:
    """Draw the figure.

    Args:
        svg: path of the svg; pdf, png and the plotted numbers go beside it.
        methods: the looks of the four.
    """
    use_style()
    looks = shown(methods)
    blocks = packet_blocks(vgg16())
    # Near 0 the large packets rise within 1e-4, so the left panel is dense there.
    wide = np.unique(np.concatenate([np.geomspace(1e-6, 1e-2, POINTS), np.linspace(0, 1, POINTS)]))
    panels = {
        "whole": loss_curves(blocks, wide),
        "magnified": loss_curves(blocks, np.linspace(0, MAGNIFIED, POINTS)),
    }
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(TEXT_WIDTH, 2.5), sharey=True, layout="constrained"
    )
    draw(left, panels["whole"], looks)
    draw(right, panels["magnified"], looks)
    left.set(xlim=(0, 1), ylim=(0, 1.13), yticks=np.linspace(0, 1, 6), ylabel="packet loss rate")
    right.set(xlim=(0, MAGNIFIED))
    left.set_title("All block loss rates", loc="left", fontsize="medium")
    right.set_title("Magnified 1000 times", loc="left", fontsize="medium")
    for axes, decimals in ((left, 0), (right, 2)):
        axes.set_xlabel("block loss rate")
        axes.xaxis.set_major_formatter(PercentFormatter(1, decimals))
    left.yaxis.set_major_formatter(PercentFormatter(1, 0))
    # The last tick of one panel shall not touch the first of the next.
    figure.get_layout_engine().set(wspace=0.06)
    left.text(0.03, 1.03, "FL, FTL$_f$, FTL$_c$", color=NEUTRAL)
    label(left, looks["fbftl"], (0.62, 0.52))
    label(right, looks["fl"], (1.2e-4, 1.03))
    label(right, looks["ftl_f"], (1.8e-4, 1.03))
    label(right, looks["ftl_c"], (2.3e-4, 0.75))
    label(right, looks["fbftl"], (8.5e-4, 0.03))
    numbers = pd.concat([curves.assign(panel=name) for name, curves in panels.items()])
    columns = ["panel", "method", "blocks", "blr", "plr"]
    save(figure, svg, numbers[columns], story(panels["magnified"], looks))
    plt.close(figure)


def story(curves: pd.DataFrame, looks: dict[str, ShownMethod]) -> Story:
    """Return how many packets of the largest and the smallest kind are lost in the second panel."""
    end = curves[curves["blr"] == curves["blr"].max()]
    large, small = end.loc[end["blocks"].idxmax()], end.loc[end["blocks"].idxmin()]
    return Story(
        f"Where {percent(end['blr'].iloc[0])} of blocks are lost, {percent(large['plr'])} of "
        f"{looks[large['method']].figure_label}'s packets are lost and {percent(small['plr'])} of "
        f"{looks[small['method']].figure_label}'s",
        "Packet loss rate against block loss rate by Eq. (18), a line for each of the paper's four "
        "packets; left all block loss rates, right those up to a thousandth.",
    )


def draw(axes: "Axes", curves: pd.DataFrame, looks: dict[str, ShownMethod]) -> None:
    """Draw one line per method, dashed over another whose packets are as large, as FTL_f's."""
    seen = set()
    for method, curve in curves.groupby("method"):
        look, blocks = looks[str(method)], curve["blocks"].iloc[0]
        dashes = (4, 4) if blocks in seen else (None, None)
        seen.add(blocks)
        axes.plot(
            curve["blr"], curve["plr"], color=look.colour, dashes=dashes, zorder=3, clip_on=False
        )


def label(axes: "Axes", look: ShownMethod, position: tuple[float, float]) -> None:
    """Write a method's name in the colour of its line."""
    axes.text(*position, look.figure_label, color=look.colour)
