"""Plot accuracy on the domain without labels by how often its user takes part."""

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import points_with_bars
from fbftl.findings.runs import read_tidy
from fbftl.findings.story import Story, compared, measured, with_rows
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, ordered_colors, save, use_style

ADVERSARIES = {"none": "no adversary", "plain": "adversary", "squared": "squared loss"}
"""Names of the lines."""


def main(runs: str, svg: str, axes: dict[str, object]) -> None:
    """Draw the figure from a tidy table; pdf, png and numbers go beside it."""
    use_style()
    table = with_rows(read_tidy(runs, axes), runs)
    one_a_round = table[table["minority_participation"].notna()]
    grouped = one_a_round.assign(target=1 - one_a_round["minority_participation"]).groupby(
        ["adversary", "target"]
    )
    means = grouped["accuracy_1"].agg(["mean", "std", "count"]).reset_index()
    means = means.rename(columns={"count": "seeds"})
    chance = one_a_round["accuracy_by_chance"].mean()
    save(draw(means, chance), svg, means.assign(by_chance=chance), story(means))


def story(means: pd.DataFrame) -> Story:
    """Return whether the best adversary is better than none, where its user takes part most."""
    most = means[means["target"] == means["target"].max()].rename(
        columns={"mean": "accuracy", "std": "spread"}
    )
    rows = {row["adversary"]: row for row in most.to_dict("records")}
    others = {name: row for name, row in rows.items() if name != "none"}
    seen = (
        "Accuracy in per cent on the domain of the user without labels against its share of the "
        "rounds, a line without adversary and one for each, with bars of one standard deviation; "
        "always guessing the most frequent class is dotted."
    )
    if "none" not in rows or not others:
        return Story("Accuracy on the domain without labels, by its user's share of rounds", seen)
    best = max(others, key=lambda name: others[name]["accuracy"])
    names = (f"training with the best {ADVERSARIES['plain']}", "training without")
    result = compared(names, (measured(others[best]), measured(rows["none"])))
    return Story(f"On the domain without labels {result}", seen)


def draw(means: pd.DataFrame, chance: float) -> plt.Figure:
    """Return the figure, means with bars of one standard deviation over seeds.

    Args:
        means: of each adversary at each share of the rounds.
        chance: share of the most frequent class.
    """
    means = means.rename(columns={"mean": "accuracy", "std": "spread"})
    figure, axes = plt.subplots(figsize=(0.5 * TEXT_WIDTH, 0.4 * TEXT_WIDTH), layout="constrained")
    colours = ordered_colors(len(ADVERSARIES))
    for index, ((adversary, label), colour) in enumerate(
        zip(ADVERSARIES.items(), colours, strict=True)
    ):
        line = means[means["adversary"] == adversary].sort_values("target")
        points_with_bars(
            axes, line["target"] + 0.01 * (index - 1), line, color=colour, marker="o",
            label=label,
        )  # fmt: skip
    axes.axhline(100 * chance, color=NEUTRAL, linestyle=":", label="most frequent class")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("share of rounds of the user without labels")
    axes.set_ylabel("accuracy on its domain (%)")
    axes.set_xticks(sorted(means["target"].unique()))
    figure.legend(loc="outside lower center", ncols=2)
    return figure
