"""Plot accuracy against epsilon of noised releases, a panel for each of three models of trust.

Whom a guarantee holds against differs between the panels, so that nothing joins them. In each it is
for one sample that is replaced, its label included.
"""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import points_with_bars
from fbftl.findings.story import Story, compared, measured, with_rows
from fbftl.findings.style import TEXT_WIDTH, edged, save, use_style
from fbftl.findings.uploads import UPLOADING, Upload
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
    rows = with_rows(read_table(table), table)
    rows = rows.assign(share=(rows["epsilon_labels"] / rows["epsilon"]).fillna(0))
    looks = {method["name"]: method for method in methods}
    figure, panels = plt.subplots(
        1, len(PANELS), figsize=(TEXT_WIDTH, 2.9), sharey=True, layout="constrained"
    )
    for axes, (trust, title) in zip(panels, PANELS.items(), strict=True):
        draw(axes, rows[rows["trust"] == trust], looks)
        axes.set_title(title, loc="left", fontsize="small")
    panels[0].set_ylabel("test accuracy (%)")
    save(figure, svg, rows, story(rows))


def story(rows: pd.DataFrame) -> Story:
    """Return how the best release with local noise compares with the best secure sum, at most ε."""
    seen = (
        "Test accuracy in per cent against ε, on a logarithmic axis, a panel for each model of "
        "trust: noise that holds against the server, noise on a secure sum, and a trusted server; "
        "a line per release with bars of one standard deviation over seeds."
    )
    most = rows[rows["epsilon"] == rows["epsilon"].max()]
    best = [most[most["trust"] == trust].nlargest(1, "accuracy") for trust in list(PANELS)[:2]]
    if any(side.empty for side in best):
        return Story("Accuracy against ε under each model of trust", seen)
    names = tuple(
        f"{side['what'].iloc[0]} {where}"
        for side, where in zip(best, ("with local noise", "in a secure sum"), strict=True)
    )
    sides = tuple(measured(side.iloc[0]) for side in best)
    return Story(f"At ε = {rows['epsilon'].max():g} {compared(names, sides)}", seen)


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
    axes.set_xlabel("privacy loss ε (log scale)")
    axes.set_ylim(-3, 103)


def look(row: pd.Series, looks: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return colour and marker of what is released: of its message and head, or of its method."""
    if row["method"] in UPLOADING:
        return Upload(row["message"], row["head"]).look
    return edged(looks[row["method"]]["marker"], looks[row["method"]]["colour"])
