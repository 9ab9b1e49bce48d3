"""Plot accuracy on clean inputs, under random noise and under PGD against λ, a panel for each.

λ mixes the two normalisations of disturbed and clean inputs. One normalisation for both kinds of
inputs is a level: nothing is left to choose.
"""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from fbftl.findings.marks import PointName, name_points, points_with_bars
from fbftl.findings.runs import read_tidy
from fbftl.findings.story import Story, compared, measured, moved, with_rows
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, save, use_style
from matplotlib.axes import Axes

LINES = {
    "own": ("#7A0177", "o", "two normalisations"),
    "shared": ("#000000", "*", "one normalisation"),
}
"""Colour, marker and label by whose the normalisation of disturbed inputs is."""

CLEAN = "clean inputs alone"
"""What stands for a normalisation where nothing is disturbed, FedAvg."""

PANELS = {"standard": "Clean inputs", "random": "Random noise as large", "robust": "PGD"}
"""Titles of the panels by their scores."""

PREFIX = "robust_accuracy_at_"


def main(runs: str, svg: str, axes: dict[str, Any]) -> None:
    """Draw the figure from an experiment's tidy table; pdf, png and numbers go beside it."""
    use_style()
    rows = points(with_rows(read_tidy(runs, axes), runs))
    save(draw(rows), svg, rows, story(rows))


def story(rows: pd.DataFrame) -> Story:
    """Return whether mixing is seen to do anything under PGD, or how one normalisation compares."""
    mixed = rows[rows["disturbed_normalisation"] == "own"].sort_values("share")
    shared = rows[rows["disturbed_normalisation"] == "shared"]
    if len(mixed) > 1:
        where = (f"at λ = {mixed['share'].iloc[0]:g}", f"at λ = {mixed['share'].iloc[-1]:g}")
        sides = (measured(mixed.iloc[0], "robust"), measured(mixed.iloc[-1], "robust"))
        title = moved("Accuracy under PGD", where, sides)
    else:
        names = ("Two normalisations", "one")
        sides = (measured(mixed.iloc[0], "robust"), measured(shared.iloc[0], "robust"))
        title = f"Under PGD, {compared(names, sides)}"
    return Story(
        title,
        "Test accuracy in per cent against the weight λ of the normalisation of disturbed inputs, "
        "in panels for clean inputs, for random noise as large as the attack's, and for PGD; one "
        "normalisation for both kinds of inputs, and FedAvg, which saw clean inputs alone, are "
        "levels. Bars are one standard deviation over seeds.",
    )


def draw(rows: pd.DataFrame) -> plt.Figure:
    """Return the figure, all panels on one axis of accuracy."""
    figure, grid = plt.subplots(
        1, len(PANELS), figsize=(TEXT_WIDTH, 2.6), sharey=True, layout="constrained"
    )
    for axes, (score, title) in zip(grid, PANELS.items(), strict=True):
        axes.set_title(title, loc="left", fontsize="medium")
        axes.set(xlabel="weight λ of their normalisation", xlim=(-0.05, 1.05))
        _panel(axes, rows, score)
    grid[0].set_ylabel("test accuracy (%)")
    grid[0].margins(y=0.15)
    for axes, score in zip(grid, PANELS, strict=True):
        name_points(axes, _names(rows, score))
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, score: str) -> None:
    """Draw one kind of inputs: a line for two normalisations, levels for what has no λ."""
    for norms, (colour, marker, _) in LINES.items():
        line = rows[rows["disturbed_normalisation"] == norms].sort_values("share")
        look = {"color": colour, "marker": marker, "elinewidth": 0.8}
        if norms == "shared" and len(line):
            axes.axhline(100 * line[score].iloc[0], color=colour, linestyle="--", linewidth=0.9)
            line = line.assign(share=LEVELS_AT)
            look["linestyle"] = "none"
        points_with_bars(axes, line["share"], line, score, **look)
    clean = rows[rows["disturbed_normalisation"] == CLEAN]
    if score == "standard" and len(clean):
        axes.axhline(100 * clean[score].iloc[0], color=NEUTRAL, linestyle=":", linewidth=1)
        points_with_bars(
            axes, clean["share"].fillna(LEVELS_AT / 2), clean, score, color=NEUTRAL, marker="s",
            linestyle="none", elinewidth=0.8,
        )  # fmt: skip


LEVELS_AT = 0.5
"""Where on its level the marker of what has no λ stands."""


def _names(rows: pd.DataFrame, score: str) -> list[PointName]:
    """Return the names of a panel's lines and levels."""
    names = []
    for norms, (colour, _, label) in LINES.items():
        line = rows[rows["disturbed_normalisation"] == norms].sort_values("share")
        if len(line):
            at = LEVELS_AT if norms == "shared" else line["share"].iloc[-1]
            names.append(PointName(label, at, 100 * line[score].iloc[-1], colour))
    clean = rows[rows["disturbed_normalisation"] == CLEAN]
    if score == "standard" and len(clean):
        names.append(PointName("FedAvg", LEVELS_AT / 2, 100 * clean[score].iloc[0], NEUTRAL))
    return names


def points(table: pd.DataFrame) -> pd.DataFrame:
    """Return a row per normalisation and λ: both accuracies over seeds, and under random noise.

    FedAvg, which sees no disturbed inputs and is not attacked, has a row of its own.
    """
    rows = [
        {
            "disturbed_normalisation": CLEAN,
            "standard": seed_runs["test_accuracy"].mean(),
            "standard_spread": seed_runs["test_accuracy"].std(),
            "seeds": len(seed_runs),
            "diverged": int(seed_runs["diverged"].sum()),
        }
        for _, seed_runs in table[table["method"] == "fedavg"].groupby("setting")
    ]
    for norms, seed_runs in table[table["method"] == "robust"].groupby("disturbed_normalisation"):
        for column in sorted(name for name in seed_runs if name.startswith(PREFIX)):
            share = column.removeprefix(PREFIX)
            standard, robust = seed_runs[f"standard_accuracy_at_{share}"], seed_runs[column]
            rows.append(
                {
                    "disturbed_normalisation": norms,
                    "share": float(share),
                    "standard": standard.mean(),
                    "standard_spread": standard.std(),
                    "robust": robust.mean(),
                    "robust_spread": robust.std(),
                    "random": seed_runs[f"random_noise_accuracy_at_{share}"].mean(),
                    "random_spread": seed_runs[f"random_noise_accuracy_at_{share}"].std(),
                    "seeds": len(seed_runs),
                    "diverged": int(seed_runs["diverged"].sum()),
                }
            )
    return pd.DataFrame(rows)
