"""The one rule of verdicts: what an interval of an effect says of what is claimed.

An effect is the difference of two sides, paired by seed, or the logarithm of their ratio. Its
interval is two-sided at 95 %. Two errors are in it. Seeds draw all that is random in a run: their
error is the spread of the paired differences over the root of their number. The test set is one
finite draw too: an accuracy p on n samples has the variance p (1 - p) / n, which more seeds do not
reduce; p is taken from two further right and two further wrong answers (Agresti and Coull 1998),
without which an accuracy of 100 % would be certain. Both sides answer the same samples: where runs
keep which of them were right, the variance is that of their differences sample by sample, with half
an answer more to each side alone (Agresti and Min 2005). Of other runs the variances of both sides
are added, which is the wider reading. Each error reaches as far as its own quantile, Student's of
the seeds and the normal one of the test set, and both add in squares.

The level is a part's own: of a hundred parts without any effect five are decided by chance.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy.special import ndtri, stdtrit

from fbftl.findings.published import LEAST_SEEDS, ROUNDING, Measured
from fbftl.papers.claim_rows import ClaimForm

LEVEL = 0.95

QUANTILE = (1 + LEVEL) / 2


class ClaimVerdict(StrEnum):
    """What a part, or a whole claim, comes to."""

    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    MIXED = "mixed"
    INCONCLUSIVE = "inconclusive"
    NOT_TESTABLE = "not testable here"


def variance_of_test_set(percent: float, samples: float) -> float:
    """Return the variance of an accuracy in percent that is due to the test samples drawn."""
    share = (percent / 100 * samples + 2) / (samples + 4)
    return 100**2 * share * (1 - share) / (samples + 4)


def variance_of_difference(percents: np.ndarray) -> float:
    """Return the variance of a difference of two accuracies that is due to the test samples drawn.

    Args:
        percents: (n,) of each test sample, how many per cent more of the seeds of one side classify
            it rightly than of the other.
    """
    shares, samples = percents / 100, len(percents) + 2
    between = float(shares @ shares) + 1 - float(shares.sum()) ** 2 / samples
    return 100**2 * between / samples**2


@dataclass(frozen=True)
class Effect(Measured):
    """A difference over seeds, or a logarithm of a ratio.

    of_test_set: variance of the mean that the test set adds, whatever the seeds.
    """

    of_test_set: float = 0.0

    def less(self, other: "Effect") -> "Effect":
        """Return the difference of two that are not paired, with the seeds of the fewer.

        The spread is that of a difference of independent draws; a number has none.
        """
        seeds = [of.seeds for of in (self, other) if of.seeds > 1 or of.spread] or [1]
        return Effect(
            self.mean - other.mean,
            math.hypot(self.spread, other.spread),
            min(seeds),
            self.of_test_set + other.of_test_set,
        )

    def interval(self) -> tuple[float, float]:
        """Return the ends of the interval; of fewer than two seeds it has none."""
        if self.seeds < 2:
            return -math.inf, math.inf
        of_seeds = float(stdtrit(self.seeds - 1, QUANTILE)) * self.spread / math.sqrt(self.seeds)
        reach = math.hypot(of_seeds, float(ndtri(QUANTILE)) * math.sqrt(self.of_test_set))
        return self.mean - reach, self.mean + reach


@dataclass(frozen=True)
class Region:
    """Effects that a claim allows.

    low, high: its ends.
    open: whether the lower end is not allowed itself.
    """

    low: float
    high: float = math.inf
    open: bool = False

    def verdict(self, lower: float, upper: float) -> ClaimVerdict:
        """Return what an interval comes to: all inside, all outside, or neither."""
        above = lower - self.low > ROUNDING if self.open else lower - self.low >= -ROUNDING
        below = upper - self.low <= ROUNDING if self.open else self.low - upper > ROUNDING
        if above and upper - self.high <= ROUNDING:
            return ClaimVerdict.CONFIRMED
        if below or lower - self.high > ROUNDING:
            return ClaimVerdict.CONTRADICTED
        return ClaimVerdict.INCONCLUSIVE


def is_ratio(form: ClaimForm, margin: float | None) -> bool:
    """Tell whether a form is about the ratio of its sides."""
    return form is ClaimForm.TIMES or (form is ClaimForm.EXISTS and margin is not None)


def region(form: ClaimForm, margin: float | None, *, counted: bool = False) -> Region | None:
    """Return the effects that a form allows; None if nothing printed says which.

    Args:
        form: of the claim.
        margin: printed, None if none is.
        counted: whether both sides are counts, which can be equal exactly.
    """
    match form:
        case ClaimForm.TIMES:
            return Region(math.log(margin or 1))
        case ClaimForm.EXISTS:
            low = 0.0 if margin is None else math.log(margin)
            return Region(low, open=margin is None)
        case ClaimForm.NO_LESS:
            return Region(-(margin or 0.0))
        case ClaimForm.EQUAL:
            unknown = margin is None and not counted
            return None if unknown else Region(-(margin or 0.0), margin or 0.0)
        case _:
            return Region(margin or 0.0, open=not margin)


def judged(effect: Effect, allowed: Region | None) -> ClaimVerdict:
    """Return what an effect says of a claim."""
    if allowed is None or effect.seeds < LEAST_SEEDS:
        return ClaimVerdict.INCONCLUSIVE
    return allowed.verdict(*effect.interval())


def together(compared: Iterable[ClaimVerdict]) -> ClaimVerdict:
    """Return what parts come to that can be compared: what all do, mixed if they contradict each
    other, and inconclusive otherwise."""
    found = set(compared)
    if not found:
        return ClaimVerdict.NOT_TESTABLE
    if found >= {ClaimVerdict.CONFIRMED, ClaimVerdict.CONTRADICTED} or ClaimVerdict.MIXED in found:
        return ClaimVerdict.MIXED
    return found.pop() if len(found) == 1 else ClaimVerdict.INCONCLUSIVE


def in_some_part(compared: Sequence[ClaimVerdict]) -> ClaimVerdict:
    """Return what parts come to of which one suffices: the claim that something exists."""
    confirmed = ClaimVerdict.CONFIRMED in compared
    return ClaimVerdict.CONFIRMED if confirmed else ClaimVerdict.INCONCLUSIVE


def in_most_parts(compared: Sequence[ClaimVerdict]) -> ClaimVerdict:
    """Return what parts come to of which more than half suffice, and half are too few."""
    if 2 * compared.count(ClaimVerdict.CONFIRMED) > len(compared):
        return ClaimVerdict.CONFIRMED
    refuted = 2 * compared.count(ClaimVerdict.CONTRADICTED) >= len(compared)
    return ClaimVerdict.CONTRADICTED if refuted else ClaimVerdict.INCONCLUSIVE
