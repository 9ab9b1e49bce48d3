"""Plot accuracy against epsilon of noised releases, a panel for each of three models of trust.

Whom a guarantee holds against differs between the panels, so that nothing joins them. In each it is
for one sample that is replaced, its label included.
"""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import points_with_bars
from fbftl.findings.style import TEXT_WIDTH, edged, save, use_style
from fbftl.findings.uploads import UPLOADING, Upload
from fbftl.ground.binding import run_by_name
from fbftl.ground.csv_tables import read_table

PANELS = {
    "local": "local: holds against the server",
    "secure sum": "secure sum: server, dealer apart",
    "trusted server": "trusted server: all but the server",
}

LINES = (":", "-", "--", "-.")
"""Of one release under several splits of epsilon, the least for labels first."""


def main(table: str, svg: str, methods: list[dict[str, Any]]) -> None:
    """Draw the figure from its table; pdf, png and numbers go beside it.

    Args:
        table: of what is released under each trust.
        svg: the figure to write.
        methods: looks of methods.
    """
    use_style()
    rows = read_table(table)
    rows = rows.assign(share=(rows["epsilon_labels"] / rows["epsilon"]).fillna(0))
    looks = {method["name"]: method for method in methods}
    figure, panels = plt.subplots(
        1, len(PANELS), figsize=(TEXT_WIDTH, 2.9), sharey=True, layout="constrained"
    )
    for axes, (trust, title) in zip(panels, PANELS.items(), strict=True):
        draw(axes, rows[rows["trust"] == trust], looks)
        axes.set_title(title, loc="left", fontsize="small")
    panels[0].set_ylabel("test accuracy (%)")
    save(figure, svg, rows)


def draw(axes: plt.Axes, rows: pd.DataFrame, looks: dict[str, dict[str, Any]]) -> None:
    """Draw one panel: a line per release and split, mean with one standard deviation."""
    for what, released in rows.groupby("what", sort=False):
        for line, (share, points) in zip(LINES, released.groupby("share"), strict=False):
            first, points = points.iloc[0], points.sort_values("epsilon")
            label = f"{what}, {share:.0%} of ε for labels" if share else what
            points_with_bars(
                axes, points["epsilon"], points, linestyle=line if share else "-", label=label,
                **look(first, looks),
            )  # fmt: skip
    if len(rows):
        ticks = sorted(rows["epsilon"].unique())
        axes.set_xscale("log")
        axes.set_xticks(ticks, [f"{epsilon:g}" for epsilon in ticks])
        axes.legend(fontsize=6.5, handlelength=3)
    axes.minorticks_off()
    axes.set_xlabel("privacy loss ε")
    axes.set_ylim(0, 100)


def look(row: pd.Series, looks: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return colour and marker of what is released: of its message and head, or of its method."""
    if row["method"] in UPLOADING:
        return Upload(row["message"], row["head"]).look
    return edged(looks[row["method"]]["marker"], looks[row["method"]]["colour"])


if __name__ == "__main__":
    run_by_name(snakemake, main)
