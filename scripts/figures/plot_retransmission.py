"""Expected payload and the packet loss that is left with retransmissions (Eqs. (18) and (19))."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.cost.architectures import vgg16
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.story import Story
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, save, use_style
from fbftl.papers.fbftl.packets import loss_curves, packet_blocks, payload_curves

RETRANSMISSIONS = range(4)
"""n_r, the most times that a block is sent again."""

POINTS = 201

LABELS = {"fbftl": (5e-4, 8e-4, 1.2e-2, 4e-2), "fl": (1e-4, 2.5e-4, 8e-4, 2.3e-3)}
"""Block loss rate at which the label of each curve is placed, by n_r."""


def main(svg: str | Path, methods: list[dict[str, Any]]) -> None:
    """Draw the figure.

    Args:
        svg: path of the svg; pdf, png and the plotted numbers go beside it.
        methods: the looks of the two.
    """
    use_style()
    looks = shown(methods)
    blocks = packet_blocks(vgg16())
    two = {method: blocks[method] for method in ("fbftl", "fl")}
    payload = payload_curves(np.linspace(0, 1, POINTS), RETRANSMISSIONS)
    residual = loss_curves(two, np.geomspace(1e-5, 0.999, POINTS), RETRANSMISSIONS)

    figure, (left, right) = plt.subplots(
        1, 2, figsize=(TEXT_WIDTH, 2.6), layout="constrained", width_ratios=(1, 1.3)
    )
    for count, curve in payload.groupby("retransmissions"):
        left.plot(curve["blr"], curve["payload"], color=NEUTRAL)
        left.text(1.02, curve["payload"].iloc[-1], f"$n_r$ = {count}", color=NEUTRAL, va="center")
    left.set(
        xlim=(0, 1), ylim=(0.8, 4.1), xlabel="block loss rate", ylabel="expected payload over P"
    )
    left.set_title("Payload with $n_r$ retransmissions", loc="left", fontsize="medium")

    for (method, count), curve in residual.groupby(["method", "retransmissions"]):
        color = looks[method].colour
        right.loglog(curve["blr"], curve["plr"], color=color, linewidth=1)
        rate = LABELS[method][count]
        height = np.interp(rate, curve["blr"], curve["plr"])
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
        right.text(rate, height, str(count), color=color, ha="center", va="center", bbox=box)
    right.text(2e-5, 0.03, looks["fl"].figure_label, color=looks["fl"].colour)
    right.text(0.15, 1e-5, looks["fbftl"].figure_label, color=looks["fbftl"].colour)
    right.set(xlim=(1e-5, 1), ylim=(1e-7, 2), xlabel="block loss rate (log scale)")
    right.set_ylabel("packet loss rate left (log scale)")
    right.set_title("Risk left after $n_r$ retransmissions", loc="left", fontsize="medium")
    numbers = pd.concat([payload.assign(panel="payload"), residual.assign(panel="residual loss")])
    columns = ["panel", "method", "blocks", "retransmissions", "blr", "payload", "plr"]
    save(figure, svg, numbers[columns], story(residual, looks))
    plt.close(figure)


TITLE_RATE = 0.01
"""Block loss rate that the title speaks of."""


def story(residual: pd.DataFrame, looks: dict[str, ShownMethod]) -> Story:
    """Return what the most retransmissions leave of a method's losses, by interpolation."""
    parts = []
    for method, curves in residual.groupby("method"):
        ends = [
            float(np.interp(TITLE_RATE, curve["blr"], curve["plr"]))
            for _, curve in sorted(curves.groupby("retransmissions"))
        ]
        label = looks[str(method)].figure_label
        parts.append(f"{label}'s packet loss from {ends[0]:.2g} to {ends[-1]:.1g}")
    return Story(
        f"At a block loss rate of {TITLE_RATE:g}, {max(RETRANSMISSIONS)} retransmissions take "
        + " and ".join(parts),
        "Left, the expected payload over a packet's own against the block loss rate, a line for "
        "each most number of retransmissions. Right, the packet loss rate that is left, both axes "
        "logarithmic, a numbered line per number for FL and for FbFTL.",
    )
