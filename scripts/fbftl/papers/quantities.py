"""What was run on a task, as claims read it: tidy tables, series, uplinks and attacks together.

Runs of finished studies stand in the project, and claims are judged by them without training:
`docs/results/{task}/runs.csv` is the tidy table of all experiments of a task with what was measured
beside them, `series.csv` what claims follow by rounds or domains, a row for each curve. A task
whose runs were not kept has the means and spreads of `numbers.json`, with the seeds of `made.json`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fbftl.findings.runs import BY_RUN, all_runs, read_tidy, write_tidy
from fbftl.ground.files import read_json
from fbftl.training.curves import RIGHT, unpacked


@dataclass(frozen=True)
class Runs:
    """What is run on one task.

    table: tidy table of all of a task's experiments.
    uplink: what each method sends by seed, columns `method`, `until`, `seed`, `payload_bits` and
        `diverged` (`findings.exchanged`); empty if the methods were not compared.
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


STEP = ["series", "step"]
"""Columns that tell the values of a run's series apart."""


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
        beside: what was measured beside runs by setting and seed, as attacks are, a table for each
            measure, whose columns no other has; of any tasks.
    """
    sent, curves, further = map(_tables_by_task, (uplinks, series, beside))
    found = {}
    for task, tables in _tables_by_task(experiments).items():
        runs = all_runs(tables)
        for measured in further.get(task, ()):
            # A run that it lacks has no value there.
            runs = runs.merge(measured, how="left", on=BY_RUN)
        (uplink,) = sent.get(task, [pd.DataFrame()])
        of_series = curves.get(task, [pd.DataFrame(columns=[*BY_RUN, *STEP])])
        found[task] = Runs(runs, uplink, all_runs(of_series, STEP))
    return found


def _tables_by_task(paths: Iterable[str | Path]) -> dict[str, list[pd.DataFrame]]:
    """Return tables that have rows, by the task that they are of."""
    by_task: dict[str, list[pd.DataFrame]] = {}
    for table in map(read_tidy, paths):
        if len(table):
            by_task.setdefault(table["task"].iloc[0], []).append(table)
    return by_task


RUNS, SERIES, UPLINK, NUMBERS, MADE = KEPT_FILES = (
    "runs.csv", "series.csv", "tables/uplink.csv", "numbers.json", "made.json",
)  # fmt: skip
"""What a task keeps of its runs, below its folder."""

FOLLOWED = re.compile(r"test_accuracy|protected_accuracy|domain_accuracy.*")
"""Series that measures of claims follow."""

CURVE = ["task", "setting", "seed", "series"]
"""Columns of `series.csv` before the steps, which are named from 1 on."""

DIGITS = 6
"""To which a value of a series is kept; accuracies of 10,000 samples have four."""


def keep_runs(runs: Runs, folder: Path) -> None:
    """Write the runs of a task and their curves.

    Args:
        runs: of one task.
        folder: of the task's kept results.
    """
    write_tidy(folder / RUNS, runs.table.dropna(axis="columns", how="all"))
    followed = runs.series
    if not followed.empty:
        followed = followed[followed["series"].str.fullmatch(FOLLOWED)]
        wide = followed.pivot(index=CURVE, columns="step", values="value").round(DIGITS)
        if not wide.empty:
            write_tidy(folder / SERIES, wide.reset_index())


def kept_files(root: Path, kept: Path) -> list[str]:
    """Return what the project keeps of the runs of all tasks, below its folder.

    Args:
        root: the project's folder.
        kept: folder of kept results below it.
    """
    folders = sorted(path for path in (root / kept).glob("*") if path.is_dir())
    files = [folder / name for folder in folders for name in KEPT_FILES]
    return [path.relative_to(root).as_posix() for path in files if path.is_file()]


def read_kept(files: Iterable[str | Path]) -> dict[str, Runs]:
    """Return what is kept of each task's runs.

    Args:
        files: `KEPT_FILES` of any tasks, those that there are.
    """
    by_folder: dict[Path, dict[str, Path]] = {}
    for path in map(Path, files):
        folder = path.parent.parent if path.parent.name == "tables" else path.parent
        by_folder.setdefault(folder, {})[path.relative_to(folder).as_posix()] = path
    return {folder.name: _runs(folder.name, there) for folder, there in by_folder.items()}


def _runs(task: str, files: Mapping[str, Path]) -> Runs:
    """Return the runs of a task from its files, or their means where they were not kept."""
    table, uplink = (
        read_tidy(files[name]) if name in files else pd.DataFrame() for name in (RUNS, UPLINK)
    )
    if table.empty:
        means = {}
        if NUMBERS in files and MADE in files:
            numbers = read_json(files[NUMBERS], "numbers")
            means = means_of(task, numbers, read_json(files[MADE], "notes on results"))
        return Runs(table, uplink, means=means)
    series = pd.DataFrame()
    if SERIES in files:
        wide = read_tidy(files[SERIES]).drop(columns="layout", errors="ignore")
        series = wide.melt(CURVE, var_name="step").dropna(subset="value").astype({"step": int})
    return Runs(table, uplink, series)


def means_of(
    task: str, numbers: Mapping[str, float], made: Mapping[str, Any]
) -> dict[str, tuple[float, float, int]]:
    """Return mean and spread of accuracy in percent and the number of seeds, by setting.

    Args:
        task: its name.
        numbers: by name, `{task}/{setting}/accuracy` and `{task}/{setting}/spread` among them.
        made: what `made.json` has, with the seeds of each setting.
    """
    seeds = {name: len(of["seeds"]) for name, of in made["runs"].get(task, {}).items()}
    return {
        name: (numbers[f"{task}/{name}/accuracy"], numbers[f"{task}/{name}/spread"], count)
        for name, count in seeds.items()
        if f"{task}/{name}/accuracy" in numbers
    }
