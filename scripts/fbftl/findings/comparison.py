"""Verdicts: one rule for every number beside a published one, and for what settings do to it.

What is judged is a difference of two sides, paired by seed, and what is claimed of it: that it lies
above a margin, or inside a band ("equal", "costs little"). With Student's one-sided 95 % bounds of
its mean over at least three seeds the claim is

- *reproduced* if both bounds lie inside what is claimed,
- *differs* if the upper bound lies below it, or the lower one above it, and
- *undecided* otherwise, and whenever there are fewer seeds.

What differs in task, backbone, size, data or encoding from the published setup is *not comparable*
(`published`), and what has no value is *not run*. Formulas have no seeds; see there. Claims have
a rule of their own, `papers.claim_rule`. Which settings are on the Pareto
front of cost and score is decided here too.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, stdev
from typing import Self

import numpy as np
import pandas as pd
from scipy.special import stdtrit

CONFIDENCE = 0.95
"""Of each bound, so that a difference of nothing is decided either way in 5 % of cases at most."""

LEAST_SEEDS = 3

ROUNDING = 1e-9
"""What sums of floats may be off by: no difference."""


class Verdict(StrEnum):
    """What a comparison comes to."""

    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    UNDECIDED = "undecided"
    NOT_COMPARABLE = "not comparable"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Measured:
    """A quantity over seeds.

    mean, spread: mean and standard deviation of one seed; a single seed has no spread.
    seeds: how many there are.
    """

    mean: float
    spread: float
    seeds: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        """Return mean and spread of one value per seed."""
        spread = stdev(values) if len(values) > 1 else 0.0
        return cls(fmean(values), spread, len(values))

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return self.spread / math.sqrt(self.seeds)

    @property
    def bounds(self) -> tuple[float, float]:
        """Student's lower and upper one-sided bounds of the mean; a single seed bounds nothing."""
        if self.seeds < 2:
            return -math.inf, math.inf
        reach = float(stdtrit(self.seeds - 1, CONFIDENCE)) * self.error
        return self.mean - reach, self.mean + reach

    def columns(self, name: str, spread: str = "") -> dict[str, float]:
        """Return mean and spread as columns of a table, the spread's called `{name}_spread`."""
        return {name: self.mean, spread or f"{name}_spread": self.spread}


def verdict(difference: Measured, low: float = 0.0, high: float = math.inf) -> Verdict:
    """Return what a difference over seeds says of the claim that it lies between two ends."""
    if difference.seeds < LEAST_SEEDS:
        return Verdict.UNDECIDED
    lower, upper = difference.bounds
    if low - upper > ROUNDING or lower - high > ROUNDING:
        return Verdict.DIFFERS
    inside = lower - low > ROUNDING and high - upper > ROUNDING
    return Verdict.REPRODUCED if inside else Verdict.UNDECIDED


def effect(difference: Measured) -> str:
    """Return which way a difference goes by the rule: raises, lowers, or neither that is seen."""
    words = {Verdict.REPRODUCED: "raises", Verdict.DIFFERS: "lowers"}
    return words.get(verdict(difference), "undecided")


def on_front(cost: pd.Series, score: pd.Series) -> np.ndarray:
    """Return which points are on the Pareto front: none costs as little or less and scores better,
    and none costs less and scores as well. Of equal points all are, or none.
    """
    costs, scores = cost.to_numpy(), score.to_numpy()
    as_good = (costs <= costs[:, None]) & (scores >= scores[:, None])
    better = (costs < costs[:, None]) | (scores > scores[:, None])
    return ~(as_good & better).any(axis=1)
