"""Measures of claims that paper fbftl alone makes."""

from collections.abc import Mapping

import pandas as pd

from fbftl.papers.measures import NOTHING, ClaimMeasure, Measured, accuracy
from fbftl.papers.quantities import Runs

SHARES_SENT = (0.1, 0.01, 0.001)
"""Those of Table V beside all, r."""

KEPT = 82 / 86.51
"""Share of the clean accuracy that the paper's 82 % are."""


def least_keep(runs: Runs, setting: str) -> pd.Series:
    """Return the least share r at which a setting keeps `KEPT` of its accuracy, by seed.

    It is 1 where no share that was run keeps it; nothing where none was run.
    """
    whole = accuracy(runs, setting)
    kept = {keep: accuracy(runs, f"{setting}+keep={keep:g}") / whole for keep in SHARES_SENT}
    ratios = pd.DataFrame(kept).dropna()
    if ratios.empty:
        return NOTHING
    return ratios.apply(lambda of: min(of.index[of >= KEPT], default=1.0), axis="columns")


MEASURES: Mapping[str, Measured] = {"least_keep": ClaimMeasure(least_keep)}
