"""Verdicts: one rule for every number beside a published one, and for what settings do to it.

What is judged is a difference of two sides, paired by seed, and what is claimed of it: that it lies
above a margin, or inside a band ("equal", "costs little"). With Student's one-sided 95 % bounds of
its mean over at least three seeds the claim is

- *reproduced* if both bounds lie inside what is claimed,
- *differs* if the upper bound lies below it, or the lower one above it, and
- *undecided* otherwise, and whenever there are fewer seeds.

What differs in task, backbone, size, data or encoding from the published setup is *not comparable*
(`setups`), and what has no value is *not run*. Formulas have no seeds; see `printed`. Claims have
a rule of their own, `papers.claim_rule`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, stdev

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
    def of(cls, values: Sequence[float]) -> "Measured":
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

    def __sub__(self, constant: float) -> "Measured":
        """Return the difference to a constant, which has no spread."""
        return Measured(self.mean - constant, self.spread, self.seeds)


@dataclass(frozen=True)
class Claimed:
    """What is claimed of a difference.

    low, high: what it lies between.
    """

    low: float = 0.0
    high: float = math.inf

    def holds(self, value: float) -> bool:
        """Tell whether one value lies where it is claimed to."""
        return value - self.low > ROUNDING and self.high - value > ROUNDING


MORE = Claimed()
"""The first side is the greater."""


def within(band: float) -> Claimed:
    """Return the claim that two sides are equal, or that one costs little, up to a band."""
    return Claimed(-band, band)


def verdict(difference: Measured | None, claimed: Claimed = MORE) -> Verdict:
    """Return what a difference over seeds, in the unit of the claim, says of what is claimed."""
    if difference is None:
        return Verdict.NOT_RUN
    if difference.seeds < LEAST_SEEDS:
        return Verdict.UNDECIDED
    lower, upper = difference.bounds
    if claimed.low - upper > ROUNDING or lower - claimed.high > ROUNDING:
        return Verdict.DIFFERS
    if claimed.holds(lower) and claimed.holds(upper):
        return Verdict.REPRODUCED
    return Verdict.UNDECIDED


def effect(difference: Measured | None) -> str:
    """Return which way a difference goes by the rule: raises, lowers, or neither that is seen."""
    words = {Verdict.REPRODUCED: "raises", Verdict.DIFFERS: "lowers"}
    return words.get(verdict(difference), "undecided")
