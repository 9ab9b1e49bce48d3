"""Measures of claims that paper eppfl alone makes."""

from collections.abc import Mapping

import pandas as pd

from fbftl.papers.curves import rounds_to_converge
from fbftl.papers.measures import ClaimMeasure, Measured, along, column
from fbftl.papers.quantities import Runs

TESTED = "protected_accuracy"
"""Series of accuracy as it is tested, where uploads are noised and dropped as in training."""


def bits(runs: Runs, setting: str) -> pd.Series:
    """Return the bits up and down of a run, by seed."""
    return column(runs, "uplink_bits", setting) + column(runs, "downlink_bits", setting)


def bits_to_converge(runs: Runs, setting: str) -> pd.Series:
    """Return the bits up and down until a setting has converged; all rounds send as many."""
    rounds, converged = along(TESTED, len), along(TESTED, rounds_to_converge)
    per_round = bits(runs, setting) / rounds.values(runs, setting)
    return (per_round * converged.values(runs, setting)).dropna()


MEASURES: Mapping[str, Measured] = {
    "bits": ClaimMeasure(bits, counted=True),
    "bits_to_converge": ClaimMeasure(bits_to_converge),
}
