"""Plot EPPFL's accuracy by round, a line per number of local epochs (paper eppfl, Fig. 2)."""

from typing import TYPE_CHECKING, Any

import pandas as pd
from fbftl.findings.marks import line_with_band
from fbftl.findings.runs import read_tidy
from fbftl.findings.story import Story, measured, moved, with_rows
from fbftl.findings.style import COLUMN_WIDTH, EndLabel, label_ends, ordered_colors, save, use_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def main(runs: str, series: str, svg: str, axes: dict[str, Any]) -> None:
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        runs: an experiment's tidy table.
        series: its learning curves.
        svg: path of the svg.
        axes: the number of local epochs, with its default.
    """
    use_style()
    points = curves(with_rows(read_tidy(runs, axes), runs), read_tidy(series))
    save(draw(points), svg, points, story(points))


def story(points: pd.DataFrame) -> Story:
    """Return what more local epochs do to accuracy in the last round."""
    last = points[points["step"] == points["step"].max()].sort_values("local_epochs")
    fewest, most = last.iloc[0], last.iloc[-1]
    where = tuple(f"with E = {row['local_epochs']:g}" for row in (fewest, most))
    return Story(
        moved(
            f"EPPFL's accuracy after {most['step']:g} rounds", where,
            (measured(fewest), measured(most)),
        ),
        "Test accuracy in per cent by round, a line per number of local epochs E inside a band of "
        "one standard deviation over seeds.",
    )  # fmt: skip


def curves(runs: pd.DataFrame, series: pd.DataFrame) -> pd.DataFrame:
    """Return mean and standard deviation over seeds by local epochs and round."""
    epochs = runs.drop_duplicates("setting").set_index("setting")["local_epochs"]
    shown = series[series["series"] == "test_accuracy"]
    by_round = shown.assign(local_epochs=shown["setting"].map(epochs)).groupby(
        ["local_epochs", "step"]
    )["value"]
    means = by_round.agg(accuracy="mean", spread="std", seeds="count")
    return means.fillna({"spread": 0.0}).reset_index()


def draw(points: pd.DataFrame) -> "Figure":
    """Return the figure: means with a band of one standard deviation over seeds."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 0.8 * COLUMN_WIDTH))
    lines = points.groupby("local_epochs")
    ends = []
    for (epochs, line), color in zip(lines, ordered_colors(len(lines)), strict=True):
        line_with_band(axes, line["step"], line, color=color)
        ends.append(EndLabel(f"E = {epochs:.0f}", 100 * float(line["accuracy"].iloc[-1]), color))
    axes.set_xlabel("round")
    axes.set_ylabel("test accuracy (%)")
    label_ends(axes, ends)
    return figure
