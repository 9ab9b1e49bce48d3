"""Plot what an adversary of groups buys: odds against accuracy, by users, and from round to round.

Left to right: the difference in equalised odds against accuracy (the better, the further left and
up), against the majority's users m, and from round to round beside what a probe reads at the most
users. A row for each network.
"""

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.runs import read_tidy
from fbftl.findings.style import TEXT_WIDTH, ordered_colors, save, use_style
from fbftl.ground.logs import run_job

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
    own = followed[(followed["majority_users"] == most) & followed["series"].isin(FOLLOWED)]
    rounds = own["by"].str.split(" ").str[0].astype(int) * own["step"]
    grouped = own.assign(round=rounds).groupby(["network", "adversary", "series", "round"])
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
        for place, adversary in enumerate(ADVERSARIES):
            own = means[(means["network"] == network) & (means["adversary"] == adversary)]
            style = {"color": colours[adversary], "marker": "o", "capsize": 2, "label": adversary}
            left.errorbar(
                own["delta_eo"], 100 * own["accuracy"], 100 * own["accuracy_spread"],
                own["delta_eo_spread"], linestyle="none", **style,
            )  # fmt: skip
            for _, one in own.iterrows():
                left.annotate(
                    f"{one['majority_users']:g}", (one["delta_eo"], 100 * one["accuracy"]),
                    xytext=(3, 3), textcoords="offset points", fontsize="small",
                )  # fmt: skip
            users = own["majority_users"] + 0.1 * (place - 1)
            middle.errorbar(users, own["delta_eo"], own["delta_eo_spread"], **style)
            followed = rounds[(rounds["network"] == network) & (rounds["adversary"] == adversary)]
            for series, line in FOLLOWED.items():
                one = followed[followed["series"] == series]
                right.plot(one["round"], one["value"], line, color=colours[adversary])
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
    run_job(
        snakemake,
        lambda job: main(job.input.runs, job.input.series, job.output.svg, job.params.axes),
    )
