"""Plot accuracy against uplink: uploads with counts before them, alone, with a random purchase."""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.outsourcing import CHOICES, purchases
from fbftl.findings.runs import read_tidy
from fbftl.findings.style import COLUMN_WIDTH, NEUTRAL, save, use_style
from fbftl.ground.logs import run_job

ALONE = ("uploads alone", NEUTRAL, "X")


def main(runs: str, svg: str, axes: dict[str, Any]) -> None:
    """Draw the figure from the tidy table; pdf, png and numbers go beside it.

    Args:
        runs: tidy table of the experiment.
        svg: path of the svg.
        axes: those of a purchase, with their defaults.
    """
    use_style()
    rows = purchases(read_tidy(runs, axes))
    save(draw(rows), svg, rows)


def draw(rows: pd.DataFrame) -> plt.Figure:
    """Return the figure; bars are one standard deviation over seeds."""
    figure, axes = plt.subplots(figsize=(1.5 * COLUMN_WIDTH, 3.2), layout="constrained")
    bought = rows[rows["purchase"] > 0]
    ecos, random = (bought[bought["choice"] == choice] for choice in ("ecos", "random"))
    masked = ecos[ecos["aggregation"] == "masked"]
    lines = [
        (masked, (f"{CHOICES['ecos'][0]} by masked counts, and uploads", *CHOICES["ecos"][1:])),
        (rows[rows["purchase"] == 0], ALONE),
        (random[random["uploaders"] > 0], ("uploads, random purchase", *CHOICES["random"][1:])),
    ]
    for own, (label, colour, marker) in lines:
        own = own.sort_values("uplink_bits")
        axes.errorbar(
            own["uplink_bits"] / 1e6, 100 * own["accuracy"], 100 * own["spread"], color=colour,
            marker=marker, capsize=2, label=label,
        )  # fmt: skip
    axes.set(xscale="log", xlabel="uplink of all clients (Mb)", ylabel="test accuracy (%)")
    axes.legend(fontsize=7)
    return figure


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(job.input.runs, job.output.svg, job.params.axes))
