"""Plot a federation's accuracy by round against one client's, over the points of Table 1."""

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import line_with_band
from fbftl.findings.published import read
from fbftl.findings.runs import read_tidy
from fbftl.findings.story import Story, compared, measured, with_rows
from fbftl.findings.style import COLUMN_WIDTH, PRINTED, ordered_colors, save, use_style

MODELS = {"Fed": ("D", "federation"), "Net": ("s", "one client")}
"""Models of Table 1: their markers, and whom they are of."""


def main(series: str, table1: str, svg: str) -> None:
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        series: the experiment's series, a row per setting, seed and round.
        table1: the published points, of MNIST.
        svg: path of the svg.
    """
    use_style()
    ours = points(with_rows(read_tidy(series), series))
    printed = read(table1).assign(accuracy=lambda table: table["printed"].astype(float) / 100)
    printed = printed.rename(columns={"model": "who"})[["who", "round", "accuracy"]]
    numbers = pd.concat([ours, printed.assign(printed=True)])
    save(draw(ours, printed), svg, numbers, story(ours))


def story(ours: pd.DataFrame) -> Story:
    """Return how a federation compares with one client in the last round."""
    last = ours[ours["round"] == ours["round"].max()].set_index("who")
    seen = (
        "Test accuracy in per cent by round, a line each for a federation with one start, with "
        "starts of their own, and for one client, inside bands of one standard deviation; hollow "
        "markers are what Table 1 prints of MNIST."
    )
    names = ("federation, common start", "one client")
    if not set(names) <= set(last.index):
        return Story("Accuracy by round of a federation and of one client", seen)
    sides = tuple(measured(last.loc[name]) for name in names)
    return Story(f"In the last round {compared(('a federation', names[1]), sides)}", seen)


def points(series: pd.DataFrame) -> pd.DataFrame:
    """Return mean and spread of each setting's accuracy by round, with who it is."""
    accuracy = series[series["series"] == "test_accuracy"]
    by_round = accuracy.groupby(["setting", "step"])["value"].agg(["mean", "std", "count"])
    columns = ["setting", "round", "accuracy", "spread", "seeds"]
    means = by_round.reset_index().set_axis(columns, axis=1)
    return means.assign(who=means["setting"].map(who), printed=False)


def who(setting: str) -> str:
    """Return whom a setting is of."""
    axes = setting.split("+")
    if "clients=1" in axes:
        return "one client"
    return "federation, own starts" if "initial_weights=own" in axes else "federation, common start"


def draw(ours: pd.DataFrame, printed: pd.DataFrame) -> plt.Figure:
    """Return the figure: lines with bands of one standard deviation, published points."""
    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 0.9 * COLUMN_WIDTH), layout="constrained")
    groups = ours.groupby("who")
    for colour, (name, line) in zip(ordered_colors(len(groups)), groups, strict=True):
        line_with_band(axes, line["round"], line, color=colour, label=name)
    for name, line in printed.groupby("who"):
        marker, whom = MODELS[name]
        look = PRINTED | {"marker": marker}
        label = f"{whom}, printed (MNIST)"
        axes.plot(line["round"], 100 * line["accuracy"], label=label, **look)
    axes.set(xlabel="round", ylabel="test accuracy (%)")
    figure.legend(loc="outside upper center", ncols=2)
    return figure
