"""What seeds count for: one that diverged is nothing in every mean, and is counted beside it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fbftl.ground.errors import UserError


def counted(
    repetition: Mapping[str, Any], measures: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return what a repetition measured as it counts in a mean.

    Args:
        repetition: one seed of a run file.
        measures: what the run declares of them; `diverged` is what counts for a seed whose loss
            stopped being finite, at whichever epoch, and None leaves it as it was measured.
    """
    measured = {name: repetition.get(name) for name in measures}
    instead = {
        name: measures[name]["diverged"]
        for name, value in measured.items()
        if value is not None and measures[name]["diverged"] is not None
    }
    return measured | instead if repetition["diverged"] else measured


def spread_of(values: Sequence[Any] | None) -> float | None:
    """Return the standard deviation of a value per seed; None of a single one, or of nothing."""
    if values is None or len(values) < 2:
        return None
    return float(np.std([float(value) for value in values], ddof=1))


def over_seeds(seed_runs: pd.DataFrame, scores: Mapping[str, str], **named: Any) -> dict[str, Any]:
    """Return the row of one setting: what names it, scores over its seeds, and what seeds count.

    Args:
        seed_runs: its rows of a tidy table.
        scores: the measure behind each score, told as mean `{score}` and `{score}_spread`.
        named: columns before these.
    """
    for score, measure in scores.items():
        named |= {score: seed_runs[measure].mean(), f"{score}_spread": seed_runs[measure].std()}
    return named | {"seeds": len(seed_runs), "diverged": int(seed_runs["diverged"].sum())}


def mean_and_spread(
    runs: pd.DataFrame, by: list[str], score: str = "test_accuracy", name: str = "accuracy",
    measured: Iterable[str] = (),
) -> pd.DataFrame:  # fmt: skip
    """Return a score over seeds: mean, standard deviation, seeds, and how many diverged.

    The column `{name}_converged` is the mean over the seeds that did not diverge, empty if all did.

    Args:
        runs: tidy table.
        by: axes whose values name a row; every other axis must be constant inside a row.
        score: the measure that is averaged.
        name: what its mean is called.
        measured: further measures, of which the mean alone is told.

    Raises:
        UserError: if a row would be the mean of several settings.
    """
    _require_one_setting(runs, by)
    rows = runs.assign(converged=runs[score].mask(runs["diverged"].astype(bool)))
    beside = ("offered", "received", "seen", "ridge_accuracy")
    counts = {name: (name, "mean") for name in beside if name in runs}
    grouped = rows.groupby(by, dropna=False, sort=True)
    return grouped.agg(
        **{name: (score, "mean")},
        spread=(score, "std"),
        seeds=("seed", "nunique"),
        **counts,
        diverged=("diverged", "sum"),
        **{f"{name}_converged": ("converged", "mean")},
        **{measure: (measure, "mean") for measure in measured},
    ).reset_index()


def _require_one_setting(runs: pd.DataFrame, by: list[str]) -> None:
    """Raise a UserError if runs of several settings have the same values of the axes."""
    of_row = runs.groupby(by, dropna=False)["setting"].unique()
    for settings in of_row[of_row.map(len) > 1]:
        raise UserError(
            f"{settings[0]} and {settings[1]} would be one row, as they differ in none of "
            f"{', '.join(by)}; give them experiments of their own"
        )
