"""Quantities that sentences compare: a measure of a setting by seed, or what is made of several.

They are read off the tidy table of all of a task's experiments. A setting that was not run gives
nothing, so that what compares it is not run either.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from fbftl.findings.runs import all_runs, per_seed, read_tidy, setting_name, settings_in
from fbftl.findings.uplink import SELECTED


@dataclass(frozen=True)
class BySeed:
    """A quantity by seed, and which repetitions behind it diverged, as (setting, seed)."""

    values: pd.Series
    diverged: frozenset[tuple[str, int]] = frozenset()

    def __add__(self, other: "BySeed") -> "BySeed":
        """Return the sum, seed by seed; a seed that one side lacks has none."""
        return BySeed((self.values + other.values).dropna(), self.diverged | other.diverged)

    def __sub__(self, other: "BySeed") -> "BySeed":
        """Return the difference, seed by seed; a seed that one side lacks has none."""
        return BySeed((self.values - other.values).dropna(), self.diverged | other.diverged)

    def __truediv__(self, other: "BySeed") -> "BySeed":
        """Return the ratio, seed by seed; a seed that one side lacks has none."""
        return BySeed((self.values / other.values).dropna(), self.diverged | other.diverged)

    def __mul__(self, other: "BySeed") -> "BySeed":
        """Return the product, seed by seed; a seed that one side lacks has none."""
        return BySeed((self.values * other.values).dropna(), self.diverged | other.diverged)

    def __rmul__(self, factor: float) -> "BySeed":
        """Return a multiple, seed by seed."""
        return BySeed(factor * self.values, self.diverged)

    def constant(self, value: float) -> "BySeed":
        """Return one value for every seed."""
        return BySeed(0 * self.values + value, self.diverged)


NOTHING = BySeed(pd.Series(dtype=float))
"""A quantity that was not run."""

ALL: Mapping[str, Any] = MappingProxyType({})
"""All of a task's clients."""

Sides = tuple[BySeed, BySeed]
"""The first and the second quantity of a comparison; most often the lesser and the greater."""


@dataclass(frozen=True)
class Runs:
    """What is run on one task.

    table: tidy table of all of a task's experiments.
    uplink: what each method sends by seed, columns `method`, `until`, `seed`, `payload_bits` and
        `diverged` (`findings.uplink`); empty if the methods were not compared.
    series: what was measured by rounds, epochs or domains, as `findings.runs.FOLLOWED` has it; may
        be empty.
    """

    table: pd.DataFrame
    uplink: pd.DataFrame = field(default_factory=pd.DataFrame)
    series: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def task(self) -> str:
        """The task that was run; empty of no runs."""
        named = self.table.get("task", pd.Series(dtype=str))
        return str(named.iloc[0]) if len(named) else ""

    @cached_property
    def settings(self) -> list[dict[str, Any]]:
        """The settings that were run, each as `measured` takes its axes."""
        return [] if self.table.empty else list(settings_in(self.table).values())

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

    def lists(self, series: str, **axes: Any) -> pd.DataFrame:
        """Return a series of a setting, a row for each seed and a column for each step from 1.

        Args:
            series: what was followed, over rounds or domains.
            axes: as `measured` takes them. It is empty if the setting was not run.
        """
        if self.series.empty:
            return pd.DataFrame()
        names = per_seed(self.table, axes, "setting")
        rows = self.series
        rows = rows[rows["setting"].isin(names) & (rows["series"] == series)]
        return rows.pivot(index="seed", columns="step", values="value").astype(float)

    def accuracy(self, **axes: Any) -> BySeed:
        """Return a setting's test accuracy in percent; a diverged seed has 0.

        Summaries have ROUGE-1 in its place, which is in percent as well.
        """
        if "test_accuracy" not in self.table:
            return self.measured("rouge1", **axes)
        return 100 * self.measured("test_accuracy", **axes)

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

    def along(self, series: str, comes_to: Callable[[pd.Series], float], **axes: Any) -> BySeed:
        """Return what a setting's curves come to by seed; empty if it was not run.

        A seed that diverged has its curve as it counts: accuracy 0 from there on. One whose curve
        comes to nan is left out.

        Args:
            series: what was measured round by round.
            comes_to: from a curve to the number that it comes to.
            axes: the method, and every axis that differs from its default.
        """
        curves = self._curves(series, axes)
        values = {seed: comes_to(curve) for seed, curve in curves.items()}
        return BySeed(pd.Series(values, dtype=float).dropna(), self._diverged(axes))

    def until(
        self, series: str, first: Mapping[str, Any], comes_to: Callable[[pd.Series], float],
        reaches: Callable[[pd.Series, float], float], **axes: Any,
    ) -> BySeed:  # fmt: skip
        """Return when a setting's curves reach what another's come to, seed by seed.

        Args:
            series: what was measured round by round.
            first: the other setting.
            comes_to: from a curve of the other to the mark.
            reaches: from a curve and a mark to the round.
            axes: the setting.
        """
        marks, curves = self._curves(series, first), self._curves(series, axes)
        values = {
            seed: reaches(curve, comes_to(marks[seed]))
            for seed, curve in curves.items()
            if seed in marks
        }
        return BySeed(pd.Series(values, dtype=float), self._diverged(first) | self._diverged(axes))

    def _curves(self, series: str, axes: Mapping[str, Any]) -> dict[int, pd.Series]:
        name = setting_name(self.table, axes)
        if self.series.empty or name is None:
            return {}
        rows = self.series[(self.series["setting"] == name) & (self.series["series"] == series)]
        return {
            int(seed): of.sort_values("step")["value"].astype(float).reset_index(drop=True)
            for seed, of in rows.groupby("seed")
        }

    def _diverged(self, axes: Mapping[str, Any]) -> frozenset[tuple[str, int]]:
        return self.measured("diverged", **axes).diverged

    def shared(self, axis: str, *sides: dict[str, Any]) -> list[Any]:
        """Return the values of an axis, ascending, for which every side was run; not the default.

        Args:
            axis: name of the axis.
            sides: axes of each side, without `axis`.
        """
        value_sets = [
            {
                setting[axis]
                for setting in self.settings
                if axis in setting and setting == side | {axis: setting[axis]}
            }
            for side in sides
        ]
        return sorted(set.intersection(*value_sets))


Compared = Callable[[Runs], Sides]
"""What is compared on the runs of a task."""


ByPart = Mapping[str, Compared]
"""What is compared for a sentence: its cells or steps by name, each with two sides."""


def accuracies(first: Mapping[str, Any], second: Mapping[str, Any]) -> Compared:
    """Return what compares the accuracies of two settings."""
    return lambda runs: (runs.accuracy(**first), runs.accuracy(**second))


def measures(
    column: str, first: Mapping[str, Any], second: Mapping[str, Any], factor: float = 1
) -> Compared:
    """Return what compares a measure of two settings, or a multiple of it."""
    return lambda runs: (
        factor * runs.measured(column, **first),
        factor * runs.measured(column, **second),
    )


BY_RUN = ["task", "setting", "seed"]
"""Columns by which a table that was made beside runs belongs to them."""


def with_beside(runs: pd.DataFrame, tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return the runs of a task with what was measured beside them, as further columns.

    Args:
        runs: tidy table.
        tables: each with the columns `BY_RUN` and those of its measures, which no other table has;
            a run that a table lacks has no value there.
    """
    for table in tables:
        runs = runs.merge(table, how="left", on=BY_RUN)
    return runs


def runs_by_task(
    experiments: Iterable[str | Path],
    uplinks: Iterable[str | Path],
    series: Iterable[str | Path] = (),
    beside: Iterable[str | Path] = (),
) -> dict[str, Runs]:
    """Return what was run on each task.

    Args:
        experiments: tidy tables, of any tasks.
        uplinks: what each method sends by seed, a table for each task that compares them.
        series: what the experiments measured by rounds, epochs or domains.
        beside: what was measured beside runs by setting and seed, as attacks are; of any tasks.
    """
    curves, further = _tables_by_task(series), _tables_by_task(beside)
    sent = {table["task"].iloc[0]: table for table in map(read_tidy, uplinks)}
    return {
        task: Runs(
            with_beside(all_runs(tables), further.get(task, ())),
            sent.get(task, pd.DataFrame()),
            _once(curves.get(task, [])),
        )
        for task, tables in _tables_by_task(experiments).items()
    }


def _tables_by_task(paths: Iterable[str | Path]) -> dict[str, list[pd.DataFrame]]:
    """Return tables that have rows, by the task that they are of."""
    by_task: dict[str, list[pd.DataFrame]] = {}
    for table in map(read_tidy, paths):
        if len(table):
            by_task.setdefault(table["task"].iloc[0], []).append(table)
    return by_task


def _once(tables: list[pd.DataFrame]) -> pd.DataFrame:
    """Return the series of several experiments, those that they share once."""
    if not tables:
        return pd.DataFrame()
    joined = pd.concat(tables, ignore_index=True)
    return joined.drop_duplicates(["setting", "seed", "series", "step"], ignore_index=True)
