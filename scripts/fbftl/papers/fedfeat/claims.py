"""Measures of claims that paper fedfeat alone makes, and which of its parts decide nothing."""

from collections.abc import Mapping

import pandas as pd

from fbftl.papers.claim_rows import ClaimTask, Part, Side
from fbftl.papers.measures import (
    Measured,
    PairedMeasure,
    accuracy,
    along,
    curves,
    diverged,
    end_of,
    guessed,
    plain,
    points_fallen,
    rounds_falling,
    rounds_until,
)
from fbftl.papers.quantities import Runs

BASELINE = "fedavg"


def rounds_to_end(runs: Runs, first: Side, second: Side) -> tuple[pd.Series, pd.Series]:
    """Return the rounds until each side is as accurate as FedAvg ends, by seed.

    FedAvg is one of the settings of the difference that a side is, or else of both sides.
    """
    every = (*first.settings, *second.settings)
    return _rounds(runs, first, every), _rounds(runs, second, every)


def _rounds(runs: Runs, side: Side, every: tuple[str, ...]) -> pd.Series:
    among = side.settings if len(side.settings) > 1 else every
    ends = curves(runs, "test_accuracy", next(name for name in among if name.startswith(BASELINE)))
    of_terms = [
        pd.Series(
            {
                seed: rounds_until(curve.dropna(), end_of(ends.loc[seed].dropna()))
                for seed, curve in curves(runs, "test_accuracy", setting).iterrows()
                if seed in ends.index
            },
            dtype=float,
        )
        for setting in side.settings
    ]
    return (of_terms[0] - of_terms[1]).dropna() if of_terms[1:] else of_terms[0]


def undecided(runs: Runs, part: Part, task: ClaimTask) -> str | None:
    """Return why a part decides nothing: FedAvg guesses in some seed, or diverged.

    What is added to a network that guesses neither gains nor costs.
    """
    baselines = [name for name in part.a.settings + part.b.settings if name.startswith(BASELINE)]
    for setting in baselines if task.classes else ():
        guesses = accuracy(runs, setting).map(lambda percent: guessed(percent, task.classes))
        if diverged(runs, setting) or guesses.any():
            return "FedAvg is at chance in some seed"
    return None


MEASURES: Mapping[str, Measured] = {
    "rounds_to_end": PairedMeasure(rounds_to_end),
    "rounds_falling": along("test_accuracy", rounds_falling),
    "points_fallen": along("test_accuracy", points_fallen),
    "mutual_information": plain("mutual_information"),
    "feature_correlation": plain("feature_correlation"),
}
