"""Runs of finished studies that stand in the project: claims are judged by them without training.

`docs/results/{task}/runs.csv` is the tidy table of all experiments of a task with what was measured
beside them, `series.csv` what claims follow by rounds or domains, a row for each curve. A task
whose runs were not kept has the means and spreads of `numbers.json`, with the seeds of `made.json`.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from fbftl.findings.runs import read_tidy, write_tidy
from fbftl.ground.files import read_json
from fbftl.papers.quantities import Runs

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
