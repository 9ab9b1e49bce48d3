"""Plot packet loss by ledger beside its formula, and what it does to accuracy.

A row for each setting that loses blocks: on the left the packets that are lost, on the right the
difference to the method's own run without loss.
"""

from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.findings.marks import mark_diverged
from fbftl.findings.runs import read_tidy
from fbftl.findings.shown import ShownMethod, shown
from fbftl.findings.story import Story, points, with_rows
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, save, use_style
from fbftl.messages.channel import GILBERT_ELLIOTT
from matplotlib.axes import Axes

ROW = 0.17
"""Inches of a row."""

LINEAR = 0.1
"""Per cent of lost packets below which their axis is linear, so that it holds 0."""

TICKS = (0, 0.1, 1, 10, 100)

WITHIN = (-0.03, 180)
"""Per cent at which it ends, so that markers at 0 and at 100 are whole."""


def main(table: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure from the table of packet loss; pdf, png and numbers go beside it."""
    use_style()
    rows = with_rows(read_tidy(table), table)
    looks, lossy = shown(methods), rows[rows["blr"] > 0]
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(TEXT_WIDTH, ROW * len(lossy) + 1.2), sharey=True, layout="constrained"
    )
    names: list[str] = []
    for look, method_rows in _by_method(lossy, looks):
        heights = np.arange(len(names), len(names) + len(method_rows))
        names += [f"{look.figure_label}: {loss_words(r)}" for r in method_rows.to_dict("records")]
        draw_losses(left, method_rows, heights, look)
        draw_differences(right, method_rows, heights, look)
    finish(left, right, names)
    save(figure, svg, rows, story(lossy[lossy["difference"].notna()], looks))


def story(lossy: pd.DataFrame, looks: dict[str, ShownMethod]) -> Story:
    """Return what losses are seen to do by the table's own rule, and the largest of it."""
    lowered = lossy[lossy["effect"] == "lowers"]
    if len(lowered):
        worst = lowered.loc[lowered["difference"].idxmin()]
        verb = "is" if len(lowered) == 1 else "are"
        title = (
            f"{len(lowered)} of {len(lossy)} losses {verb} seen to lower accuracy, most of all "
            f"{looks[worst['method']].figure_label}'s at {loss_words(worst)}: by "
            f"{points(worst['difference'])}"
        )
    else:
        reach = lossy[["difference_lower", "difference_upper"]].abs().max(axis=None)
        title = (
            f"None of {len(lossy)} losses is seen to lower accuracy; no bound reaches further "
            f"than {points(reach)}"
        )
    return Story(
        title,
        "A row for each setting with loss. On the left, packet loss rates in per cent on an axis "
        "that is logarithmic from 0.1 on: a marker by ledger, a dash by formula. On the right, "
        "points of accuracy against the method's own run without loss, with 95 % bounds.",
    )


def loss_words(row: Any) -> str:
    """Return how the figure writes the loss of a setting."""
    parts = [f"{100 * row['blr']:g}% of blocks"]
    if row["burst"] > 1:
        parts.append(f"in bursts of {row['burst']:g}")
    if row["retransmissions"]:
        parts.append(f"sent again up to {row['retransmissions']:g} times")
    if row["fraction"] < 1:
        parts.append(f"{100 * row['fraction']:g}% of the clients")
    return ", ".join(parts)


def draw_losses(
    axes: Axes, method_rows: pd.DataFrame, heights: np.ndarray, look: ShownMethod
) -> None:
    """Draw one method's lost packets: markers by ledger on dashes by formula, if there is one."""
    axes.plot(100 * method_rows["plr_formula"], heights, "|", color=NEUTRAL, markersize=11)
    axes.plot(
        100 * method_rows["plr_ledger"], heights, look.marker, color=look.colour, markersize=5
    )


def draw_differences(
    axes: Axes, method_rows: pd.DataFrame, heights: np.ndarray, look: ShownMethod
) -> None:
    """Draw what loss does to one method's accuracy: the difference to its own run without it.

    Bars reach to Student's bounds, so that a bar across zero says that nothing was seen.
    """
    middle = 100 * method_rows["difference"]
    reach = np.array(
        [
            middle - 100 * method_rows["difference_lower"],
            100 * method_rows["difference_upper"] - middle,
        ]
    )
    axes.errorbar(
        middle, heights, xerr=np.where(np.isfinite(reach), reach, 0), linestyle="none",
        marker=look.marker, color=look.colour, elinewidth=0.9, capsize=2,
    )  # fmt: skip
    mark_diverged(axes, middle, heights, method_rows["diverged"])


def finish(left: Axes, right: Axes, names: list[str]) -> None:
    """Name rows, axes and marks."""
    left.plot([], [], "s", color=NEUTRAL, label="by ledger")
    formula = f"by Eq. (18), in bursts by {GILBERT_ELLIOTT}"
    left.plot([], [], "|", color=NEUTRAL, markersize=11, label=formula)
    left.figure.legend(loc="outside upper center", ncols=2, handlelength=1.5)
    left.set_xscale("symlog", linthresh=LINEAR, linscale=0.5)
    left.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
    left.minorticks_off()
    left.set(xlim=WITHIN, xlabel=f"packet loss rate (%),\nlog scale from {LINEAR:g} on")
    left.set_yticks(range(len(names)), names)
    left.set_ylim(len(names) - 0.5, -0.5)
    left.set_title("What is lost", loc="left", fontsize="medium")
    right.axvline(0, color=NEUTRAL, linewidth=0.8)
    right.set_xlabel("points of accuracy\nagainst no loss")
    right.set_title("What it costs, with 95 % bounds", loc="left", fontsize="medium")
    for axes in (left, right):
        axes.tick_params(axis="y", length=0)


def _by_method(
    rows: pd.DataFrame, looks: dict[str, ShownMethod]
) -> Iterator[tuple[ShownMethod, pd.DataFrame]]:
    """Yield every method's look and rows."""
    for look in looks.values():
        method_rows = rows[rows["method"] == look.name]
        if len(method_rows):
            yield look, method_rows
