"""What seeds count for: one that diverged is nothing in every mean, and is counted beside it."""

import pandas as pd

SCORES = (
    "test_accuracy",
    "test_accuracy_best",
    "validation_accuracy",
    "rouge1",
    "rouge2",
    "rougeL",
    "rougeLsum",
)
"""Measures that are 0 for a seed whose loss stopped being finite, at whichever epoch."""


def counted(runs: pd.DataFrame) -> pd.DataFrame:
    """Return runs with every score as it counts in a mean; one that no run has stays away.

    Args:
        runs: a row per repetition, with the column `diverged`.
    """
    scores = [name for name in SCORES if name in runs and runs[name].notna().any()]
    diverged = runs["diverged"].astype(bool)
    return runs.assign(**{name: runs[name].mask(diverged, 0.0) for name in scores})


def mean_and_spread(
    runs: pd.DataFrame, by: list[str], score: str = "test_accuracy", name: str = "accuracy"
) -> pd.DataFrame:
    """Return a score over seeds: mean, standard deviation, seeds, and how many diverged.

    The column `{name}_converged` is the mean over the seeds that did not diverge, empty if all did.

    Args:
        runs: tidy table.
        by: axes whose values name a row; every other axis must be constant inside a row.
        score: the measure that is averaged.
        name: what its mean is called.
    """
    rows = counted(runs).assign(converged=runs[score].mask(runs["diverged"].astype(bool)))
    grouped = rows.groupby(by, dropna=False, sort=True)
    return grouped.agg(
        **{name: (score, "mean")},
        spread=(score, "std"),
        seeds=("seed", "nunique"),
        offered=("offered", "mean"),
        received=("received", "mean"),
        seen=("seen", "mean"),
        diverged=("diverged", "sum"),
        **{f"{name}_converged": ("converged", "mean")},
    ).reset_index()
