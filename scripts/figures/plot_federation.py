"""Plot a federation's accuracy by round against one client's, over the points of Table 1."""

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import line_with_band
from fbftl.findings.published import read
from fbftl.findings.runs import read_tidy
from fbftl.findings.style import COLUMN_WIDTH, NEUTRAL, ordered_colors, save, use_style
from fbftl.ground.binding import run_by_name

PRINTED = {"Fed": "o", "Net": "x"}
"""Models of Table 1 and their markers."""


def main(series: str, table1: str, svg: str) -> None:
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        series: the experiment's series, a row per setting, seed and round.
        table1: the published points, of MNIST.
        svg: path of the svg.
    """
    use_style()
    measured = points(read_tidy(series))
    printed = read(table1).assign(accuracy=lambda table: table["printed"].astype(float) / 100)
    printed = printed.rename(columns={"model": "who"})[["who", "round", "accuracy"]]
    save(draw(measured, printed), svg, pd.concat([measured, printed.assign(printed=True)]))


def points(series: pd.DataFrame) -> pd.DataFrame:
    """Return mean and spread of each setting's accuracy by round, with who it is."""
    accuracy = series[series["series"] == "test_accuracy"]
    by_round = accuracy.groupby(["setting", "step"])["value"].agg(["mean", "std"]).reset_index()
    means = by_round.set_axis(["setting", "round", "accuracy", "spread"], axis=1)
    return means.assign(who=means["setting"].map(who), printed=False)


def who(setting: str) -> str:
    """Return whom a setting is of."""
    axes = setting.split("+")
    if "clients=1" in axes:
        return "one client"
    return "federation, own starts" if "initial_weights=own" in axes else "federation, common start"


def draw(measured: pd.DataFrame, printed: pd.DataFrame) -> plt.Figure:
    """Return the figure: lines with bands of one standard deviation, published points."""
    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 0.9 * COLUMN_WIDTH), layout="constrained")
    groups = measured.groupby("who")
    for colour, (name, line) in zip(ordered_colors(len(groups)), groups, strict=True):
        line_with_band(axes, line["round"], line, color=colour, label=name)
    for name, line in printed.groupby("who"):
        label = f"{name}, printed (MNIST)"
        axes.plot(line["round"], 100 * line["accuracy"], PRINTED[name], color=NEUTRAL, label=label)
    axes.set(xlabel="round", ylabel="test accuracy (%)")
    figure.legend(loc="outside upper center", ncols=2)
    return figure


if __name__ == "__main__":
    run_by_name(snakemake, main)
