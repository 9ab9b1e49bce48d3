"""Published numbers and verdicts: what papers print, and what a result comes to beside it.

Every file of `published/*/*.csv` has the columns `printed` (a decimal as it is printed, so that its
precision is known), `unit` and `source`; the columns before them say which value it is.

A formula reproduces a printed number if its exact value, rounded or cut to the printed digits, is
that number; papers do both. A measurement in the published setup reproduces it if the two are equal
by the rule below, up to a band and half a unit of the last printed digit. What a result was
measured on is its setup, a mapping with the keys of `DIFFERENCES`, all text: a run's comes from the
plan (`fbftl.plan.entries`), a paper's from `published/setups.csv`.

One rule judges every number beside a published one, and what settings do to it: a difference of two
sides, paired by seed, and what is claimed of it, that it lies above a margin, or inside a band
("equal", "costs little"). With Student's one-sided 95 % bounds of its mean over at least three
seeds the claim is

- *reproduced* if both bounds lie inside what is claimed,
- *differs* if the upper bound lies below it, or the lower one above it, and
- *undecided* otherwise, and whenever there are fewer seeds.

What differs in task, backbone, size, data or encoding from the published setup is *not comparable*,
and what has no value is *not run*. Formulas have no seeds. Claims have a rule of their own,
`papers.claim_rule`. Which settings are on the Pareto front of cost and score is decided here too.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal, localcontext
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, Self

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


def effects_by(rows: pd.DataFrame, change: str, by: list[str]) -> pd.DataFrame:
    """Return a row per group: which way a difference goes.

    Columns `{change}` (its mean), `{change}_spread` and `effect`, behind those of the groups.

    Args:
        rows: with a column of differences, one for each seed; missing ones are left out.
        change: the column.
        by: columns that tell groups apart.
    """
    groups = rows.dropna(subset=change).groupby(by, dropna=False)[change]
    found = [(key, Measured.of(list(values))) for key, values in groups]
    rows_of = [[*key, of.mean, of.spread, effect(of)] for key, of in found]
    return pd.DataFrame(rows_of, columns=[*by, change, f"{change}_spread", "effect"])


def on_front(cost: pd.Series, score: pd.Series) -> np.ndarray:
    """Return which points are on the Pareto front: none costs as little or less and scores better,
    and none costs less and scores as well. Of equal points all are, or none.
    """
    costs, scores = cost.to_numpy(), score.to_numpy()
    as_good = (costs <= costs[:, None]) & (scores >= scores[:, None])
    better = (costs < costs[:, None]) | (scores > scores[:, None])
    return ~(as_good & better).any(axis=1)


def read(path: str | Path) -> pd.DataFrame:
    """Return one table of published values; `printed` and `unit` stay text."""
    return pd.read_csv(path, dtype={"printed": str, "unit": str}, keep_default_na=False)


SCALES = {"Tb": 10**12, "Gb": 10**9, "Mb": 10**6, "Kb": 10**3}
"""Units that stand for a number of bits; every other unit stands for itself."""

NEAR = 1.0
"""Points of accuracy or ROUGE up to which two results count as equal."""


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


def measured_verdict(
    measured: Measured | None, printed: str, reason: str, band: float = NEAR
) -> Verdict:
    """Return whether a measurement reproduces a printed number, in the same unit.

    Args:
        measured: over seeds.
        printed: the number as printed; its last digit sets the precision.
        reason: what differs from the published setup, empty if nothing does (`differs`).
        band: difference up to which the two count as equal.
    """
    if measured is None:
        return Verdict.NOT_RUN
    if reason:
        return Verdict.NOT_COMPARABLE
    number = Decimal(printed)
    reach = band + 10.0 ** int(number.as_tuple().exponent) / 2
    difference = replace(measured, mean=measured.mean - float(number))
    return verdict(difference, -reach, reach)


def beside(table: pd.DataFrame, numbers: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return a table with the number that was printed under the same keys, as `judged` reads it.

    Args:
        table: with the keys.
        numbers: published values with the keys; those without a row in the table are left out.
        keys: columns.
    """
    numbers = numbers[[*keys, "printed", "unit"]].rename(columns={"unit": "printed_unit"})
    return table.merge(numbers, how="left", on=keys)


def judged(
    table: pd.DataFrame, reason: str, score: str = "accuracy", spread: str = "spread", *,
    places: int = 2, band: float = NEAR,
) -> pd.DataFrame:  # fmt: skip
    """Return a table of means over seeds beside what was printed, judged.

    Columns `published`, in the unit of the mean; `verdict`; `reason`, what makes a row not
    comparable. All three are empty where nothing was printed.

    Args:
        table: columns `{score}`, `{spread}`, `seeds`, and those of `beside`.
        reason: what differs from the published setup, empty if nothing does.
        score: the column of the mean.
        spread: that of its standard deviation.
        places: digits by which the point of a mean moves to where it is printed: 2 of shares of 1.
        band: difference up to which two count as equal, in points or as printed.
    """
    rows = [
        _judged({**row, "score": row[score], "spread": row[spread]}, reason, places, band)
        for row in table.to_dict("records")
    ]
    columns = pd.DataFrame(rows, columns=["published", "verdict", "reason"], index=table.index)
    return table.drop(columns=["printed", "printed_unit"]).join(columns)


def _judged(
    row: dict[str, Any], reason: str, places: int, band: float
) -> tuple[float | None, str, str]:
    if pd.isna(row["printed"]):
        return None, "", ""
    spread = 0.0 if pd.isna(row["spread"]) else row["spread"]
    measured = None
    if not pd.isna(row["score"]):
        measured = Measured(10**places * row["score"], 10**places * spread, row["seeds"])
    points = Decimal(row["printed"]).scaleb(2 if row["printed_unit"] == "1" else 0)
    judgement = measured_verdict(measured, str(points), reason, band)
    shown = reason if judgement is Verdict.NOT_COMPARABLE else ""
    return float(points.scaleb(-places)), str(judgement), shown


DIFFERENCES = {
    "task": "another task",
    "backbone": "another backbone",
    "size": "another size",
    "data": "a part of the data",
    "encoding": "another encoding",
}
"""Keys of a setup, and what is said where one differs."""

Setup = Mapping[str, str]


def differs(setup: Setup, path: str | Path, task: str, paper: str = "fbftl") -> str:
    """Return what makes a task's results not comparable with a paper's; empty if nothing does.

    Args:
        setup: the task's.
        path: `published/setups.csv`.
        task: the published one, its column `task`, e.g. `cifar10`.
        paper: whose, its column `paper`.
    """
    setups = pd.read_csv(path, dtype=str, keep_default_na=False)
    of_task = setups[(setups["paper"] == paper) & (setups["task"] == task)]
    (published,) = of_task.to_dict("records")
    return ", ".join(words for key, words in DIFFERENCES.items() if setup[key] != published[key])
