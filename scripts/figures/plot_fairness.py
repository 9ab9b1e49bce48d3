"""Plot what an adversary of groups buys: odds and accuracy by users, odds and probe by round.

Left to right: the difference in equalised odds and the balanced accuracy against the majority's
users m, then, at the most users, the difference and the accuracy of a probe that reads the group
from round to round. A row for each network.
"""

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import PointName, name_lines, points_with_bars
from fbftl.findings.runs import read_tidy
from fbftl.findings.story import Story, above, measured, with_rows
from fbftl.findings.style import TEXT_WIDTH, ordered_colors, save, use_style
from matplotlib.axes import Axes

ADVERSARIES = {"none": "no adversary", "plain": "adversary", "squared": "squared loss"}
"""Names of the lines."""

MARKERS = ("o", "s", "^")
"""Of the lines, in their order."""

NETWORKS = {"he": "He's start", "torch": "torch's start"}
"""Whose initial values a network of the study has; another's name stands for itself."""

FOLLOWED = {"delta_eo": "ΔEO by round", "probe": "Probe's accuracy by round"}
"""Series by round and the titles of their panels."""


def main(runs: str, series: str, svg: str, axes: dict[str, object]) -> None:
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        runs: tidy table of the experiment.
        series: what its runs follow.
        svg: path of the svg.
        axes: those of fairness, with their defaults.
    """
    use_style()
    table = with_rows(read_tidy(runs, axes), runs)
    table["adversary"] = table["adversary"].fillna("none")
    settings = table.drop_duplicates("setting")[
        ["setting", "network", "adversary", "majority_users"]
    ]
    followed = read_tidy(series).merge(settings, on="setting")
    means = summary(table)
    rounds = by_round(followed)
    numbers = pd.concat([means, rounds], ignore_index=True)
    save(draw(means, rounds), svg, numbers, story(means))


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Return means and standard deviations over seeds, a row per network, adversary and m."""
    grouped = table.groupby(["network", "adversary", "majority_users"])
    return grouped.agg(
        delta_eo=("delta_eo", "mean"),
        delta_eo_spread=("delta_eo", "std"),
        accuracy=("balanced_accuracy", "mean"),
        accuracy_spread=("balanced_accuracy", "std"),
        seeds=("seed", "nunique"),
    ).reset_index()


def by_round(followed: pd.DataFrame) -> pd.DataFrame:
    """Return means over seeds of what is followed, at the most users of the majority."""
    most = followed["majority_users"].max()
    at_most = followed[(followed["majority_users"] == most) & followed["series"].isin(FOLLOWED)]
    rounds = at_most["by"].str.split(" ").str[0].astype(int) * at_most["step"]
    grouped = at_most.assign(round=rounds).groupby(["network", "adversary", "series", "round"])
    return grouped["value"].mean().reset_index()


def story(means: pd.DataFrame) -> Story:
    """Return in how many cases an adversary is seen to lower the difference in equalised odds."""
    keys = ["network", "majority_users"]
    without = means[means["adversary"] == "none"].set_index(keys)
    against = means[
        (means["adversary"] != "none") & means.set_index(keys).index.isin(without.index)
    ]
    lowered = [
        above(
            measured(without.loc[tuple(row[key] for key in keys)], "delta_eo"),
            measured(row, "delta_eo"),
        )
        for row in against.to_dict("records")
    ]
    return Story(
        f"An adversary is seen to lower the difference in equalised odds in {sum(lowered)} of "
        f"{len(lowered)} cases",
        "A row of panels for each network: the difference in equalised odds ΔEO and the balanced "
        "accuracy in per cent against the users of the majority, with bars of one standard "
        "deviation, then ΔEO and the accuracy of a probe that reads the group, round by round; a "
        "line without adversary and one for each adversary.",
    )


def draw(means: pd.DataFrame, rounds: pd.DataFrame) -> plt.Figure:
    """Return the figure, means with bars of one standard deviation over seeds."""
    networks = sorted(means["network"].unique())
    figure, grid = plt.subplots(
        len(networks), 4, squeeze=False, layout="constrained", sharex="col",
        figsize=(1.2 * TEXT_WIDTH, 2.0 * len(networks) + 0.4),
    )  # fmt: skip
    ends = {}
    for network, (odds, accuracy, *by_rounds) in zip(networks, grid, strict=True):
        rows = means[means["network"] == network]
        _by_users(odds, rows, "delta_eo", 1)
        _by_users(accuracy, rows, "accuracy", 100)
        odds.set_ylabel(f"{NETWORKS.get(network, network)}\nΔEO")
        accuracy.set_ylabel("balanced accuracy (%)")
        for axes, series in zip(by_rounds, FOLLOWED, strict=True):
            here = (rounds["network"] == network) & (rounds["series"] == series)
            ends[axes] = _by_round(axes, rounds[here], 1 if series == "delta_eo" else 100)
        by_rounds[0].set_ylabel("ΔEO")
        by_rounds[1].set_ylabel("accuracy of the probe (%)")
    titles = ["ΔEO by users", "Accuracy by users", *FOLLOWED.values()]
    for axes, title in zip(grid[0], titles, strict=True):
        axes.set_title(title, loc="left", fontsize="medium")
    for axes in grid[-1][:2]:
        axes.set_xlabel("users of the majority m")
    for axes in grid[-1][2:]:
        axes.set_xlabel(f"round, at m = {means['majority_users'].max():g}")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3)
    for *_, last in grid:
        name_lines(last, ends[last])
    return figure


def _by_users(axes: Axes, rows: pd.DataFrame, score: str, scale: float) -> None:
    """Draw a score against the majority's users, a line per adversary."""
    looks = zip(ADVERSARIES.items(), ordered_colors(len(ADVERSARIES)), MARKERS, strict=True)
    for index, ((adversary, label), colour, marker) in enumerate(looks):
        line = rows[rows["adversary"] == adversary].sort_values("majority_users")
        points_with_bars(
            axes, line["majority_users"] + 0.1 * (index - 1), line, score, scale=scale,
            color=colour, marker=marker, label=label,
        )  # fmt: skip
    axes.set_xticks(sorted(rows["majority_users"].unique()))


def _by_round(axes: Axes, rounds: pd.DataFrame, scale: float) -> list[PointName]:
    """Draw what is followed, a line per adversary; return the names of their ends."""
    ends = []
    colours = zip(ADVERSARIES.items(), ordered_colors(len(ADVERSARIES)), strict=True)
    for (adversary, label), colour in colours:
        line = rounds[rounds["adversary"] == adversary].sort_values("round")
        if len(line):
            axes.plot(line["round"], scale * line["value"], color=colour)
            last = line.iloc[-1]
            ends.append(PointName(label, last["round"], scale * last["value"], colour))
    return ends
