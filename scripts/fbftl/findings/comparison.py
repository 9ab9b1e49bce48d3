"""Published beside computed beside measured, and the rule for the verdict.

The rule, in full:

- A *formula* reproduces a printed number if its exact value, rounded or cut to the printed digits,
  is that number. The paper does both.
- A *measurement* on the paper's own task reproduces it if the two differ by at most the spread over
  seeds plus half a unit of the last printed digit.
- On *another task* accuracies are not comparable. Only the direction of an effect is: a claim is
  reproduced if the means differ the claimed way by more than their joint standard error, differs if
  they do so the other way, and is not comparable in between.
- What has no value is not run.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal, localcontext
from enum import StrEnum
from fractions import Fraction
from statistics import fmean, stdev

import pandas as pd

SCALES = {"Tb": 10**12, "Gb": 10**9, "Mb": 10**6, "Kb": 10**3}
"""Units that stand for a number of bits; every other unit stands for itself."""


class Verdict(StrEnum):
    """What a comparison comes to."""

    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    NOT_COMPARABLE = "not comparable"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Measured:
    """A mean over seeds and the standard deviation of one seed."""

    mean: float
    spread: float
    seeds: int

    @classmethod
    def of(cls, values: Sequence[float]) -> "Measured":
        """Return mean and spread of one value per seed; a single one has no spread."""
        spread = stdev(values) if len(values) > 1 else 0.0
        return cls(fmean(values), spread, len(values))

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return self.spread / math.sqrt(self.seeds)


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper that can fail: `lesser` is smaller than `greater`."""

    sentence: str
    source: str
    lesser: Measured | None
    greater: Measured | None

    @property
    def verdict(self) -> Verdict:
        """The verdict of the rule for another task."""
        return direction(self.lesser, self.greater)


def at_printed_precision(
    value: int | float | Fraction, printed: str, unit: str, rounding: str = ROUND_HALF_UP
) -> str:
    """Return a value in the unit of a printed number, with as many digits.

    Args:
        value: exact value, in bits where `unit` is Kb, Mb, Gb or Tb.
        printed: the number as printed, e.g. `6.6` or `1.63e17`; its last digit sets the precision.
        unit: the unit as printed.
        rounding: a rounding mode of `decimal`.
    """
    exact = Fraction(value) / SCALES.get(unit, 1)
    step = Decimal((0, (1,), int(Decimal(printed).as_tuple().exponent)))
    with localcontext(prec=60):
        decimal = Decimal(exact.numerator) / Decimal(exact.denominator)
        rounded = decimal.quantize(step, rounding=rounding)
    if "e" in printed.lower():
        mantissa, exponent = f"{rounded:E}".split("E")
        return f"{mantissa}e{int(exponent)}"
    return f"{rounded:f}"


def formula_verdict(value: int | float | Fraction, printed: str, unit: str) -> Verdict:
    """Return whether a formula's exact value reproduces a printed number."""
    candidates = {
        Decimal(at_printed_precision(value, printed, unit, rounding))
        for rounding in (ROUND_HALF_UP, ROUND_DOWN)
    }
    return Verdict.REPRODUCED if Decimal(printed) in candidates else Verdict.DIFFERS


def measured_verdict(measured: Measured | None, printed: str, same_task: bool) -> Verdict:
    """Return whether a measurement reproduces a printed number, in the same unit."""
    if measured is None:
        return Verdict.NOT_RUN
    if not same_task:
        return Verdict.NOT_COMPARABLE
    half_a_digit = 10.0 ** int(Decimal(printed).as_tuple().exponent) / 2
    near = abs(measured.mean - float(printed)) <= measured.spread + half_a_digit
    return Verdict.REPRODUCED if near else Verdict.DIFFERS


def direction(lesser: Measured | None, greater: Measured | None) -> Verdict:
    """Return whether a measured difference goes the claimed way, beyond its standard error."""
    if lesser is None or greater is None:
        return Verdict.NOT_RUN
    difference = greater.mean - lesser.mean
    error = math.hypot(lesser.error, greater.error)
    if difference > error:
        return Verdict.REPRODUCED
    if difference < -error:
        return Verdict.DIFFERS
    return Verdict.NOT_COMPARABLE


def claims_table(claims: Sequence[Claim]) -> pd.DataFrame:
    """Return claims as rows: claim, source, both means with spread and seeds, verdict."""

    def columns(name: str, measured: Measured | None) -> dict[str, float | int | None]:
        if measured is None:
            return {f"{name}_{field}": None for field in ("mean", "spread", "seeds")}
        return {
            f"{name}_mean": measured.mean,
            f"{name}_spread": measured.spread,
            f"{name}_seeds": measured.seeds,
        }

    return pd.DataFrame(
        {
            "claim": claim.sentence,
            "source": claim.source,
            **columns("lesser", claim.lesser),
            **columns("greater", claim.greater),
            "verdict": str(claim.verdict),
        }
        for claim in claims
    )
