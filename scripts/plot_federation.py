"""Plot a federation's accuracy by round against one client's, over the points of Table 1."""

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.published import read
from fbftl.findings.runs import read_tidy
from fbftl.findings.style import COLUMN_WIDTH, NEUTRAL, ordered_colors, save, use_style
from fbftl.ground.logs import run_job

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
    found = points(read_tidy(series))
    printed = read(table1).assign(accuracy=lambda own: own["printed"].astype(float) / 100)
    printed = printed.rename(columns={"model": "who"})[["who", "round", "accuracy"]]
    save(draw(found, printed), svg, pd.concat([found, printed.assign(printed=True)]))


def points(series: pd.DataFrame) -> pd.DataFrame:
    """Return mean and spread of each setting's accuracy by round, with who it is."""
    accuracy = series[series["series"] == "test_accuracy"]
    by_round = accuracy.groupby(["setting", "step"])["value"].agg(["mean", "std"]).reset_index()
    found = by_round.set_axis(["setting", "round", "accuracy", "spread"], axis=1)
    return found.assign(who=found["setting"].map(who), printed=False)


def who(setting: str) -> str:
    """Return whom a setting is of."""
    axes = setting.split("+")
    if "clients=1" in axes:
        return "one client"
    return "federation, own starts" if "start=own" in axes else "federation, common start"


def draw(found: pd.DataFrame, printed: pd.DataFrame) -> plt.Figure:
    """Return the figure: lines with bands of one standard deviation, published points."""
    figure, axes = plt.subplots(figsize=(COLUMN_WIDTH, 0.9 * COLUMN_WIDTH), layout="constrained")
    groups = found.groupby("who")
    for colour, (name, own) in zip(ordered_colors(len(groups)), groups, strict=True):
        mean, spread = 100 * own["accuracy"], 100 * own["spread"].fillna(0)
        axes.plot(own["round"], mean, color=colour, label=name)
        axes.fill_between(
            own["round"], mean - spread, mean + spread, color=colour, alpha=0.15, linewidth=0
        )
    for name, own in printed.groupby("who"):
        label = f"{name}, printed (MNIST)"
        axes.plot(own["round"], 100 * own["accuracy"], PRINTED[name], color=NEUTRAL, label=label)
    axes.set(xlabel="round", ylabel="test accuracy (%)")
    figure.legend(loc="outside upper center", ncols=2)
    return figure


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(job.input.series, job.input.table1, job.output.svg))
