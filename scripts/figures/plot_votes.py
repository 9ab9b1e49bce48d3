"""Plot how clients' votes fall on the source models, in each round of a vote."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.findings.runs import read_tidy
from fbftl.findings.story import Story, with_rows
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, ordered_colors, save, use_style


def main(series: str, svg: str, models: dict[str, str]) -> None:
    """Draw the figure; pdf, png and numbers go beside it.

    Args:
        series: the experiment's series, a row per setting, seed and source model.
        svg: path of the svg.
        models: what each source model learnt from, in the order of the votes.
    """
    use_style()
    rows = read_tidy(series)
    votes = with_rows(rows[rows["series"] == "votes"], series)
    vote_shares = shares(votes, list(models))
    save(draw(vote_shares, list(models)), svg, vote_shares, story(vote_shares))


def story(vote_shares: pd.DataFrame) -> Story:
    """Return which source model has most votes, in how many settings, and how many."""
    means = vote_shares.groupby(["setting", "model"])["share"].mean().unstack()
    first = means.idxmax(axis=1)
    winner = first.mode().iloc[0]
    won = means.loc[first == winner, winner]
    return Story(
        f"The source model of {winner.replace('_', ' ')} has most votes in {len(won)} of "
        f"{len(means)} settings, {won.min():.0%} to {won.max():.0%}",
        "Share of the clients' votes in per cent for each source model, a bar per setting of the "
        "vote and a dot per seed.",
    )


def shares(votes: pd.DataFrame, models: list[str]) -> pd.DataFrame:
    """Return each model's share of a setting's votes in every seed.

    Settings that leave models out are left out.
    """
    counts = votes.groupby("setting")["step"].max()
    whole = votes[votes["setting"].map(counts) == len(models)]
    total = whole.groupby(["setting", "seed"])["value"].transform("sum")
    named = whole["step"].map(dict(enumerate(models, start=1)))
    of_models = whole.assign(share=whole["value"] / total, model=named)
    return of_models[["setting", "seed", "model", "share"]]


def distinguishing(setting: str) -> tuple[float, int, str]:
    """Return what tells a setting from the others: samples, round and similarity."""
    axes = dict(part.split("=") for part in setting.split("+")[1:])
    samples, similarity = axes.get("most_samples", "inf"), axes.get("cka_estimator", "unbiased")
    return float(samples), int(axes["vote_round"]), similarity


def draw(vote_shares: pd.DataFrame, models: list[str]) -> plt.Figure:
    """Return the figure: by source model, a bar per setting, a dot per seed."""
    figure, axes = plt.subplots(figsize=(TEXT_WIDTH, 0.4 * TEXT_WIDTH), layout="constrained")
    settings = sorted(vote_shares["setting"].unique(), key=distinguishing)
    width = 0.8 / len(settings)
    for index, (colour, setting) in enumerate(
        zip(ordered_colors(len(settings)), settings, strict=True)
    ):
        percent = 100 * vote_shares[vote_shares["setting"] == setting].pivot(
            index="seed", columns="model", values="share"
        ).reindex(columns=models)
        left = np.arange(len(models)) + (index - (len(settings) - 1) / 2) * width
        axes.bar(left, percent.mean(), width, color=colour, label=legend(*distinguishing(setting)))
        across = np.broadcast_to(left, percent.shape)
        axes.plot(
            across.T,
            percent.T,
            "o",
            color=NEUTRAL,
            markersize=3,
            markeredgecolor="white",
            markeredgewidth=0.4,
        )
    axes.set_xticks(range(len(models)), [model.replace("_", " ") for model in models])
    axes.set(ylabel="share of the votes (%)", xlabel="source model", ylim=(0, 104))
    axes.set_axisbelow(True)
    axes.grid(False, axis="x")
    figure.legend(loc="outside upper center", ncols=3)
    return figure


def legend(samples: float, vote_round: int, similarity: str) -> str:
    """Return how a legend tells a setting."""
    many = "all" if samples == float("inf") else f"{samples:g}"
    return f"{many} samples, round {vote_round}, {similarity}"
