"""Plot accuracy against what a client has sent: EPPFL's settings beside FedAvg and FbFTL."""

from typing import TYPE_CHECKING, Any

import pandas as pd
from fbftl.findings.marks import points_with_bars
from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.shown import shown
from fbftl.findings.style import COLUMN_WIDTH, NEUTRAL, save, use_style
from fbftl.ground.binding import run_by_name

if TYPE_CHECKING:
    from fbftl.findings.shown import ShownMethod
    from matplotlib.figure import Figure


def main(runs: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        runs: an experiment's tidy table.
        svg: path of the svg.
        methods: the methods there.
    """
    use_style()
    points = uplinks(read_tidy(runs))
    save(draw(points, shown(methods)), svg, points)


def uplinks(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per setting: all clients' uplink in megabytes, accuracy and its spread."""
    megabytes = runs["uplink_bits"] / 8e6
    sent = megabytes.groupby([runs["method"], runs["setting"]]).mean().rename("uplink")
    points = mean_and_spread(runs, ["method", "setting"]).set_index(["method", "setting"])
    return points.join(sent).reset_index()


def draw(points: pd.DataFrame, looks: "dict[str, ShownMethod]") -> "Figure":
    """Return the figure: a point per setting, bars of one standard deviation over seeds."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 0.85 * COLUMN_WIDTH), layout="constrained")
    for name, look in looks.items():
        rows = points[points["method"] == name]
        points_with_bars(
            axes, rows["uplink"], rows, color=look.colour, marker=look.marker, linestyle="none",
            alpha=0.8, label=look.figure_label,
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_ylim(0, 100)
    axes.set_xlabel("uplink of all clients (MB)")
    axes.set_ylabel("test accuracy (%), clean inference")
    axes.legend(fontsize=7, loc="lower left", labelcolor=NEUTRAL)
    return figure


if __name__ == "__main__":
    run_by_name(snakemake, main)
