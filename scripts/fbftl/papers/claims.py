"""Claims: sentences of papers that can fail, each tested on the runs of one task.

A claim compares two quantities, paired by seed in the tidy table of all of a task's experiments; a
claim whose settings are not in the study is not run. Its verdict is that of the one rule
(`findings.comparison`). No sentence names an accuracy, so that it can be tested on any task.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from fbftl.findings.comparison import MORE, Claimed, Measured, Verdict, verdict
from fbftl.findings.runs import per_seed, settings_in
from fbftl.findings.uplink import SELECTED


@dataclass(frozen=True)
class BySeed:
    """A quantity by seed, and which repetitions behind it diverged, as (setting, seed)."""

    values: pd.Series
    diverged: frozenset[tuple[str, int]] = frozenset()

    def __sub__(self, other: "BySeed") -> "BySeed":
        """Return the difference, seed by seed; a seed that one side lacks has none."""
        return BySeed((self.values - other.values).dropna(), self.diverged | other.diverged)


NOTHING = BySeed(pd.Series(dtype=float))
"""A quantity that was not run."""

ALL: Mapping[str, Any] = MappingProxyType({})
"""All of a task's clients."""

Sides = tuple[BySeed, BySeed]
"""The first and the second quantity of a claim."""


@dataclass(frozen=True)
class Runs:
    """What claims are tested on.

    table: tidy table of all of a task's experiments.
    uplink: what each method sends by seed, columns `method`, `until`, `seed`, `payload_bits` and
        `diverged` (`findings.uplink`); empty if the methods were not compared.
    """

    table: pd.DataFrame
    uplink: pd.DataFrame = field(default_factory=pd.DataFrame)

    def measured(self, column: str, **axes: Any) -> BySeed:
        """Return a measure of a setting by seed; empty if it was not run.

        Args:
            column: what was measured.
            axes: the method, and every axis that differs from its default.
        """
        if column not in self.table:
            return NOTHING
        diverged = per_seed(self.table, axes, "diverged").astype(bool)
        name = "+".join(f"{axis}={value}" for axis, value in axes.items())
        seeds = frozenset((name, int(seed)) for seed in diverged.index[diverged])
        return BySeed(per_seed(self.table, axes, column).dropna(), seeds)

    def accuracy(self, **axes: Any) -> BySeed:
        """Return a setting's test accuracy in percent; a diverged seed has 0.

        Summaries have ROUGE-1 in its place, which is in percent as well.
        """
        if "test_accuracy" not in self.table:
            return self.measured("rouge1", **axes)
        found = self.measured("test_accuracy", **axes)
        return BySeed(100 * found.values, found.diverged)

    def lost(self, method: str, among: Mapping[str, Any] = ALL, **axes: Any) -> BySeed:
        """Return the points of accuracy that a method loses from the clean setting.

        Args:
            method: name of the method.
            among: axes in which both settings deviate, as a share of the clients does.
            axes: what costs accuracy.
        """
        clean = {"method": method, **among}
        return self.accuracy(**clean) - self.accuracy(**clean, **axes)

    def sent(self, method: str, until: str) -> BySeed:
        """Return the bits that a method sends up, as the paper counts them.

        Args:
            method: name of the method.
            until: the epoch that ends the count, as `findings.uplink` calls it.
        """
        if self.uplink.empty:
            chosen = until == SELECTED
            return self.measured("uplink_payload_bits", method=method) if chosen else NOTHING
        rows = self.uplink[(self.uplink["method"] == method) & (self.uplink["until"] == until)]
        rows = rows.set_index("seed")
        seeds = rows.index[rows["diverged"].astype(bool)]
        return BySeed(rows["payload_bits"].astype(float), frozenset((method, s) for s in seeds))

    def shared(self, axis: str, *sides: dict[str, Any]) -> list[Any]:
        """Return the values of an axis, ascending, for which every side was run; not the default.

        Args:
            axis: name of the axis.
            sides: axes of each side, without `axis`.
        """
        found = [
            {
                setting[axis]
                for setting in settings_in(self.table).values()
                if axis in setting and setting == side | {axis: setting[axis]}
            }
            for side in sides
        ]
        return sorted(set.intersection(*found))


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper that can fail.

    sentence: what is claimed.
    source: section, and table or figure.
    sides: the two quantities that it compares.
    claimed: what it says of the second less the first, or of their ratio.
    ratio: whether it is about how many times the second is the first; tested on logarithms.
    unit: of the difference.
    """

    sentence: str
    source: str
    sides: Callable[[Runs], Sides]
    claimed: Claimed = MORE
    ratio: bool = False
    unit: str = "points"

    @property
    def test(self) -> str:
        """The test in words."""
        low, high = self.claimed.low, self.claimed.high
        what = "ratio" if self.ratio else "difference"
        unit = "" if self.ratio else f" {self.unit}"
        where = f"above {low:g}{unit}" if high == np.inf else f"between {low:g} and {high:g}{unit}"
        return f"{what} by seed {where}, Student's one-sided 95 % bounds"


@dataclass(frozen=True)
class Examined:
    """A claim with what was measured of it.

    first, second: both quantities.
    compared: the second less the first, or the second over the first.
    """

    claim: Claim
    first: BySeed
    second: BySeed

    @property
    def compared(self) -> Measured | None:
        """The difference over the seeds that both have, or the logarithm of the ratio."""
        first, second = self.first.values, self.second.values
        paired = np.log(second) - np.log(first) if self.claim.ratio else second - first
        values = list(paired.dropna())
        return Measured.of(values) if values else None

    @property
    def verdict(self) -> Verdict:
        """The verdict of the rule."""
        claimed = self.claim.claimed
        if self.claim.ratio:
            low, high = np.log(claimed.low), np.log(claimed.high)
            claimed = Claimed(float(low), float(high), claimed.share, claimed.seeds)
        return verdict(self.compared, claimed)


def examine(claims: Sequence[Claim], runs: Runs) -> list[Examined]:
    """Return every claim with what was measured of it."""
    return [Examined(claim, *claim.sides(runs)) for claim in claims]


def claims_table(found: Mapping[str, Sequence[Examined]]) -> pd.DataFrame:
    """Return claims as rows: task, sentence, source, test, both means, what is compared, verdict.

    A claim has a row for each task that it was run on; one that was run on none has one without.
    `compared`, `lower` and `upper` are the mean difference with its bounds, or the geometric mean
    of the ratio with its own. `tested` is how many claims were, the same in every row: of so many
    true ones that make no difference, one in twenty is decided all the same.

    Args:
        found: one list of claims, as each task finds them, by task.
    """
    rows = [row for of_tasks in zip(*found.values(), strict=True) for row in _on(found, of_tasks)]
    count = sum(one.verdict is not Verdict.NOT_RUN for _, one in rows)
    return pd.DataFrame(
        {
            "task": task,
            "claim": one.claim.sentence,
            "source": one.claim.source,
            "test": one.claim.test,
            **_columns("lesser", one.first),
            **_columns("greater", one.second),
            **_compared(one),
            "diverged": len(one.first.diverged | one.second.diverged),
            "verdict": str(one.verdict),
            "tested": count,
        }
        for task, one in rows
    )


def _on(tasks: Iterable[str], of_tasks: Sequence[Examined]) -> list[tuple[str, Examined]]:
    """Return one claim with the tasks that it was run on, or with none."""
    pairs = zip(tasks, of_tasks, strict=True)
    run = [(task, one) for task, one in pairs if one.verdict is not Verdict.NOT_RUN]
    return run or [("", of_tasks[0])]


def _columns(name: str, side: BySeed) -> dict[str, float | int | None]:
    if side.values.empty:
        return {f"{name}_{field}": None for field in ("mean", "spread", "seeds")}
    measured = Measured.of(list(side.values))
    return {
        f"{name}_mean": measured.mean,
        f"{name}_spread": measured.spread,
        f"{name}_seeds": measured.seeds,
    }


def _compared(one: Examined) -> dict[str, float | None]:
    difference = one.compared
    if difference is None:
        return dict.fromkeys(("compared", "lower", "upper"))
    values = np.array([difference.mean, *difference.bounds])
    return dict(
        zip(
            ("compared", "lower", "upper"),
            map(float, np.exp(values) if one.claim.ratio else values),
            strict=True,
        )
    )
