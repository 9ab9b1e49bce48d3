"""Plot what an adversary of groups buys: odds against accuracy, by users, and from round to round.

Left to right: the difference in equalised odds against accuracy (the better, the further left and
up), against the majority's users m, and from round to round beside what a probe reads at the most
users. A row for each network.
"""

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import points_with_bars
from fbftl.findings.runs import read_tidy
from fbftl.findings.style import TEXT_WIDTH, ordered_colors, save, use_style
from fbftl.ground.binding import run_by_name

ADVERSARIES = ("none", "plain", "squared")
FOLLOWED = {"delta_eo": "-", "probe": ":"}


def main(runs: str, series: str, svg: str, axes: dict[str, object]) -> None:
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        runs: tidy table of the experiment.
        series: what its runs follow.
        svg: path of the svg.
        axes: those of fairness, with their defaults.
    """
    use_style()
    table = read_tidy(runs, axes)
    table["adversary"] = table["adversary"].fillna("none")
    settings = table.drop_duplicates("setting")[
        ["setting", "network", "adversary", "majority_users"]
    ]
    followed = read_tidy(series).merge(settings, on="setting")
    means = summary(table)
    rounds = by_round(followed)
    save(draw(means, rounds), svg, pd.concat([means, rounds], ignore_index=True))


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Return means and standard deviations over seeds, a row per network, adversary and m."""
    grouped = table.groupby(["network", "adversary", "majority_users"])
    return grouped.agg(
        delta_eo=("delta_eo", "mean"),
        delta_eo_spread=("delta_eo", "std"),
        accuracy=("balanced_accuracy", "mean"),
        accuracy_spread=("balanced_accuracy", "std"),
    ).reset_index()


def by_round(followed: pd.DataFrame) -> pd.DataFrame:
    """Return means over seeds of what is followed, at the most users of the majority."""
    most = followed["majority_users"].max()
    at_most = followed[(followed["majority_users"] == most) & followed["series"].isin(FOLLOWED)]
    rounds = at_most["by"].str.split(" ").str[0].astype(int) * at_most["step"]
    grouped = at_most.assign(round=rounds).groupby(["network", "adversary", "series", "round"])
    return grouped["value"].mean().reset_index()


def draw(means: pd.DataFrame, rounds: pd.DataFrame) -> plt.Figure:
    """Return the figure, means with bars of one standard deviation over seeds."""
    colours = dict(zip(ADVERSARIES, ordered_colors(len(ADVERSARIES)), strict=True))
    networks = sorted(means["network"].unique())
    figure, grid = plt.subplots(
        len(networks), 3, squeeze=False, layout="constrained",
        figsize=(TEXT_WIDTH, 0.34 * TEXT_WIDTH * len(networks)),
    )  # fmt: skip
    for network, (left, middle, right) in zip(networks, grid, strict=True):
        for index, adversary in enumerate(ADVERSARIES):
            measured = means[(means["network"] == network) & (means["adversary"] == adversary)]
            style = {"color": colours[adversary], "marker": "o", "label": adversary}
            points_with_bars(
                left, measured["delta_eo"], measured, xerr=measured["delta_eo_spread"],
                linestyle="none", **style,
            )  # fmt: skip
            for _, point in measured.iterrows():
                left.annotate(
                    f"{point['majority_users']:g}", (point["delta_eo"], 100 * point["accuracy"]),
                    xytext=(3, 3), textcoords="offset points", fontsize="small",
                )  # fmt: skip
            users = measured["majority_users"] + 0.1 * (index - 1)
            points_with_bars(middle, users, measured, "delta_eo", scale=1, **style)
            followed = rounds[(rounds["network"] == network) & (rounds["adversary"] == adversary)]
            for series, line in FOLLOWED.items():
                curve = followed[followed["series"] == series]
                right.plot(curve["round"], curve["value"], line, color=colours[adversary])
        left.set_xlabel("ΔEO; beside each point m")
        left.set_ylabel(f"{network}: accuracy (%)")
        middle.set_xlabel("users of the majority m")
        middle.set_xticks(sorted(means["majority_users"].unique()))
        middle.set_ylabel("ΔEO")
        right.set_xlabel("round")
        right.set_ylabel(f"ΔEO —, probe ···, at m = {means['majority_users'].max():g}")
    handles, labels = grid[0][1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, title="adversary")
    return figure


if __name__ == "__main__":
    run_by_name(snakemake, main)
