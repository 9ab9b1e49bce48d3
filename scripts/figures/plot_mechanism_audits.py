"""Plot what audits say epsilon is at least against what is stated."""

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.attacks.audits.trial import RIGHT
from fbftl.findings.story import Story, with_rows
from fbftl.findings.style import COLUMN_WIDTH, NEUTRAL, aside, save, use_style
from fbftl.ground.binding import run_by_name
from fbftl.ground.csv_tables import read_table

KINDS = (
    ("broken on purpose", "#D55E00", "x"),
    ("mechanisms as they are", "#0072B2", "o"),
    ("whole trainings, best audit", "#009E73", "s"),
)
"""What is drawn: name, colour and marker, side by side at each epsilon."""

TOP = 100.0
"""A point above is drawn here."""

BOTTOM = 0.02
"""What proves less, or nothing, is drawn here."""


def main(table: str, svg: str) -> None:
    """Draw the figure from the table of audits; pdf, png and numbers go beside it."""
    use_style()
    points = plotted(with_rows(read_table(table), table))
    save(draw(points), svg, points, story(points))


def story(points: pd.DataFrame) -> Story:
    """Return how many of each kind exceed what is stated."""
    exceeding = (points["least"] > points["epsilon"]).groupby(points["kind"]).agg(["sum", "size"])
    shares = {kind: f"{row['sum']} of {row['size']}" for kind, row in exceeding.iterrows()}
    broken, right, trained = (shares.get(kind, "none") for kind, *_ in KINDS)
    return Story(
        f"{broken} broken mechanisms exceed their stated ε, and {right} right ones",
        "The least ε that outputs allow against the stated one, both on logarithmic axes, with a "
        "line where they are equal: crosses for mechanisms broken on purpose, circles for those as "
        f"they are, squares for whole trainings by their best audit, of which {trained} exceed it.",
    )


def plotted(table: pd.DataFrame) -> pd.DataFrame:
    """Return the points to draw, of a training only the audit that proves most."""
    rows = table.assign(kind=KINDS[1][0])
    rows.loc[rows["fault"] != RIGHT, "kind"] = KINDS[0][0]
    rows.loc[rows["training"], "kind"] = KINDS[2][0]
    best = rows.groupby(["kind", "audited", "fault", "epsilon"], sort=False)["least"].idxmax()
    return rows.loc[best, ["kind", "audited", "fault", "epsilon", "audit", "least"]]


def draw(points: pd.DataFrame) -> plt.Figure:
    """Return the figure, both axes logarithmic, with the line where both are equal."""
    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 0.85 * COLUMN_WIDTH))
    stated = sorted(points["epsilon"].unique())
    ends = [stated[0] / 1.5, stated[-1] * 1.5]
    axes.plot(ends, ends, color=NEUTRAL, linewidth=0.8, label="stated")
    for index, (kind, colour, marker) in enumerate(KINDS):
        rows = points[points["kind"] == kind]
        axes.plot(
            aside(index, len(KINDS)) * rows["epsilon"], rows["least"].clip(BOTTOM, TOP),
            linestyle="", color=colour, marker=marker, markersize=3.5, fillstyle="none", label=kind,
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(stated, [f"{epsilon:g}" for epsilon in stated])
    axes.minorticks_off()
    ticks = [BOTTOM, 0.1, 1, 10, TOP]
    axes.set_yticks(ticks, ["0", "0.1", "1", "10", f"over {TOP:g}"])
    axes.set_xlabel("stated ε (log scale)")
    axes.set_ylabel("ε is at least (log scale)")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, fontsize=7)
    return figure


if __name__ == "__main__":
    run_by_name(snakemake, main)
