"""What was run on a task, as claims read it: tidy tables, series, uplinks and attacks together."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from fbftl.findings.runs import all_runs, read_tidy
from fbftl.training.curves import RIGHT, unpacked


@dataclass(frozen=True)
class Runs:
    """What is run on one task.

    table: tidy table of all of a task's experiments.
    uplink: what each method sends by seed, columns `method`, `until`, `seed`, `payload_bits` and
        `diverged` (`findings.uplink`); empty if the methods were not compared.
    series: what was measured by rounds, epochs or domains, as `findings.runs.FOLLOWED` has it; may
        be empty.
    means: mean and spread of accuracy in percent and the number of seeds, by setting, where only
        these were kept.
    """

    table: pd.DataFrame
    uplink: pd.DataFrame = field(default_factory=pd.DataFrame)
    series: pd.DataFrame = field(default_factory=pd.DataFrame)
    means: Mapping[str, tuple[float, float, int]] = field(default_factory=dict)

    def percents_right(self, setting: str) -> np.ndarray | None:
        """Return of each test sample how many per cent of a setting's seeds classify it rightly.

        None where a seed has no answers, or others than the rest.
        """
        if RIGHT not in self.table:
            return None
        texts = self.table.loc[self.table["setting"] == setting, RIGHT]
        if texts.empty or texts.isna().any():
            return None
        of_seeds = [unpacked(text) for text in texts]
        if len({len(right) for right in of_seeds}) > 1:
            return None
        return np.mean(of_seeds, axis=0) * 100

    @property
    def settings(self) -> set[str]:
        """Names of those that were run."""
        return {*self.means, *(() if self.table.empty else self.table["setting"])}


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
