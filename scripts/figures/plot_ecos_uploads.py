"""Plot accuracy against uplink: uploads with counts before them, alone, with a random purchase."""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import points_with_bars
from fbftl.findings.outsourcing import CHOICES, purchases
from fbftl.findings.runs import read_tidy
from fbftl.findings.story import Story, capitalised, compared, measured, with_rows
from fbftl.findings.style import COLUMN_WIDTH, NEUTRAL, save, use_style

ALONE = ("uploads alone", NEUTRAL, "X")


def main(runs: str, svg: str, axes: dict[str, Any]) -> None:
    """Draw the figure from the tidy table; pdf, png and numbers go beside it.

    Args:
        runs: tidy table of the experiment.
        svg: path of the svg.
        axes: those of a purchase, with their defaults.
    """
    use_style()
    rows = purchases(with_rows(read_tidy(runs, axes), runs))
    save(draw(rows), svg, rows, story(rows))


def story(rows: pd.DataFrame) -> Story:
    """Return whether a purchase by masked counts betters uploads alone, where most clients send."""
    counted = rows[(rows["purchase_rule"] == "ecos") & (rows["aggregation"] == "masked")]
    counted = counted[counted["purchase"] > 0]
    alone = rows[rows["purchase"] == 0]
    seen = (
        "Test accuracy in per cent against the uplink of all clients in megabits on a logarithmic "
        "axis, a line each for purchases by masked counts with uploads, for uploads alone and for "
        "uploads with a random purchase, with bars of one standard deviation over seeds."
    )
    if counted.empty or alone.empty:
        return Story("Accuracy against uplink with and without a purchase", seen)
    sides = tuple(measured(part.loc[part["uplink_bits"].idxmax()]) for part in (counted, alone))
    names = ("a purchase by masked counts with the most uploads", "the most uploads alone")
    return Story(capitalised(compared(names, sides)), seen)


def draw(rows: pd.DataFrame) -> plt.Figure:
    """Return the figure; bars are one standard deviation over seeds."""
    figure, axes = plt.subplots(figsize=(1.5 * COLUMN_WIDTH, 3.2), layout="constrained")
    bought = rows[rows["purchase"] > 0]
    ecos, random = (bought[bought["purchase_rule"] == choice] for choice in ("ecos", "random"))
    masked = ecos[ecos["aggregation"] == "masked"]
    lines = [
        (masked, (f"{CHOICES['ecos'][0]} by masked counts, and uploads", *CHOICES["ecos"][1:])),
        (rows[rows["purchase"] == 0], ALONE),
        (random[random["uploaders"] > 0], ("uploads, random purchase", *CHOICES["random"][1:])),
    ]
    for line, (label, colour, marker) in lines:
        line = line.sort_values("uplink_bits")
        points_with_bars(
            axes, line["uplink_bits"] / 1e6, line, color=colour, marker=marker, label=label
        )
    axes.set(
        xscale="log", xlabel="uplink of all clients (Mb, log scale)", ylabel="test accuracy (%)"
    )
    axes.legend(fontsize=7)
    return figure
