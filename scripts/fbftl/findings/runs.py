"""The tidy table of runs, which tables and figures read, and means over its seeds.

A row per run and seed: task, the setting's name, its method, a column for every axis in which some
run deviates, what was measured, as it counts for a seed that diverged, and which test samples were
classified rightly (`training.answers`). The name says in which axes a row deviates.
A seed that diverged is nothing in every mean, and is counted beside it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fbftl.findings.run_file import weakest_privacy
from fbftl.findings.tables import read_table
from fbftl.findings.wording import axes_of
from fbftl.ground.errors import UserError
from fbftl.ground.files import write_text
from fbftl.privacy.mechanisms import PrivacyRecord
from fbftl.training.curves import RIGHT


def counted(
    repetition: Mapping[str, Any], measures: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return what a repetition measured as it counts in a mean.

    Args:
        repetition: one seed of a run file.
        measures: what the run declares of them; `diverged` is what counts for a seed whose loss
            stopped being finite, at whichever epoch, and None leaves it as it was measured.
    """
    measured = {name: repetition.get(name) for name in measures}
    instead = {
        name: measures[name]["diverged"]
        for name, value in measured.items()
        if value is not None and measures[name]["diverged"] is not None
    }
    return measured | instead if repetition["diverged"] else measured


def spread_of(values: Sequence[Any] | None) -> float | None:
    """Return the standard deviation of a value per seed; None of a single one, or of nothing."""
    if values is None or len(values) < 2:
        return None
    return float(np.std([float(value) for value in values], ddof=1))


def by_setting(runs: pd.DataFrame, axes: Sequence[str], scores: Mapping[str, str]) -> pd.DataFrame:
    """Return a row per setting: axes, scores over its seeds, `seeds`, and how many `diverged`.

    Args:
        runs: tidy table.
        axes: columns in which all rows of a setting are alike.
        scores: the measure behind each score, told as mean `{score}` and `{score}_spread`.
    """
    rows = []
    for setting, of_setting in runs.groupby("setting", sort=False):
        row = {"setting": setting, **of_setting.iloc[0][list(axes)]}
        for score, measure in scores.items():
            values = of_setting[measure]
            row |= {score: values.mean(), f"{score}_spread": values.std()}
        rows.append(row | {"seeds": len(of_setting), "diverged": of_setting["diverged"].sum()})
    return pd.DataFrame(rows)


def of_baseline(
    rows: pd.DataFrame, is_baseline: pd.Series, at: Sequence[str], value: str
) -> np.ndarray:
    """Return for each row (n,) the value of the baseline that is alike, nan where there is none.

    Args:
        rows: of a tidy table or of one of settings.
        is_baseline: which of them are baselines, of those that are alike the first.
        at: columns in which a row and its baseline are alike; the seed, where each has a row.
        value: the column.
    """
    baselines = rows.loc[is_baseline, [*at, value]].drop_duplicates(at)
    return rows[list(at)].merge(baselines, how="left", on=list(at))[value].to_numpy()


def mean_and_spread(
    runs: pd.DataFrame, by: list[str], score: str = "test_accuracy", name: str = "accuracy",
    measured: Iterable[str] = (),
) -> pd.DataFrame:  # fmt: skip
    """Return a score over seeds: mean, standard deviation, seeds, and how many diverged.

    The column `{name}_converged` is the mean over the seeds that did not diverge, empty if all did.

    Args:
        runs: tidy table.
        by: axes whose values name a row; every other axis must be constant inside a row.
        score: the measure that is averaged.
        name: what its mean is called.
        measured: further measures, of which the mean alone is told.

    Raises:
        UserError: if a row would be the mean of several settings.
    """
    _require_one_setting(runs, by)
    rows = runs.assign(converged=runs[score].mask(runs["diverged"].astype(bool)))
    beside = ("offered", "received", "seen", "ridge_accuracy")
    counts = {name: (name, "mean") for name in beside if name in runs}
    grouped = rows.groupby(by, dropna=False, sort=True)
    return grouped.agg(
        **{name: (score, "mean")},
        spread=(score, "std"),
        seeds=("seed", "nunique"),
        **counts,
        diverged=("diverged", "sum"),
        **{f"{name}_converged": ("converged", "mean")},
        **{measure: (measure, "mean") for measure in measured},
    ).reset_index()


def _require_one_setting(runs: pd.DataFrame, by: list[str]) -> None:
    """Raise a UserError if runs of several settings have the same values of the axes."""
    of_row = runs.groupby(by, dropna=False)["setting"].unique()
    for settings in of_row[of_row.map(len) > 1]:
        raise UserError(
            f"{settings[0]} and {settings[1]} would be one row, as they differ in none of "
            f"{', '.join(by)}; give them experiments of their own"
        )


def tidy(runs: Iterable[Mapping[str, Any]], axes: Mapping[str, Any]) -> pd.DataFrame:
    """Return a row per run and seed.

    Args:
        runs: documents of run files; the settings inside count, not the files' names.
        axes: the axes in which some run deviates, with their defaults.
    """
    measured: dict[str, None] = {}
    rows = []
    for run in runs:
        measured |= dict.fromkeys(run["measures"])
        rows += [
            _setting(run, axes)
            | {"seed": repetition["seed"], "diverged": repetition["diverged"]}
            | counted(repetition, run["measures"])
            | {RIGHT: repetition.get(RIGHT)}
            for repetition in run["repetitions"]
        ]
    answers = [RIGHT] if any(row[RIGHT] for row in rows) else []
    columns = [*SETTING, *axes, "seed", "diverged", *measured, *answers]
    return pd.DataFrame(rows, columns=columns)


def followed(run: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Yield a row `FOLLOWED` per seed, series and step of a run, steps counted from 1."""
    for repetition in run["repetitions"]:
        for name, declared in run["series"].items():
            at = (run["task"], run["name"], repetition["seed"], name, declared["by"])
            for step, value in enumerate(repetition["series"][name], start=1):
                yield (*at, step, value, VERSION)


SETTING = ("task", "setting", "method")
"""Columns before the axes."""

NAMES = (*SETTING, "series", "by")
"""Columns of names, whatever they look like: a task may be called 007."""

LAYOUT, VERSION = "layout", 2
"""Last column of tables with a row per seed, setting or step, and its value: the version of what
they hold. Layout 1 had no such column."""

FOLLOWED = ("task", "setting", "seed", "series", "by", "step", "value", LAYOUT)
"""Columns of the table of series; the tidy table has each setting's axes."""


def _setting(run: Mapping[str, Any], axes: Mapping[str, Any]) -> dict[str, Any]:
    unknown = run["setting"].keys() - axes.keys() - {"method"}
    if unknown:
        raise UserError(
            f"run {run['name']} of {run['task']} deviates in {', '.join(sorted(unknown))}, which "
            "this study does not know; remove the run file"
        )
    return {"task": run["task"], "setting": run["name"]} | dict(axes) | run["setting"]


NOISE = ("mechanism", "sigma", "epsilon")

GUARANTEE = {
    field.name: f"given_{field.name}" if field.name in (*NOISE, "accountant") else field.name
    for field in fields(PrivacyRecord) if field.name != "events"
}  # fmt: skip
"""Parts of a guarantee and their columns, apart from what a setting asks for by the same name."""


def guarantees(runs: Iterable[Mapping[str, Any]], axes: Mapping[str, Any]) -> pd.DataFrame:
    """Return a row per run and guarantee that its mechanisms give, the weakest repetition's.

    Args:
        runs: documents of run files.
        axes: the axes in which some run deviates, with their defaults.
    """
    rows = [
        _setting(run, axes) | {column: guarantee[part] for part, column in GUARANTEE.items()}
        for run in runs
        for guarantee in weakest_privacy(run)
    ]
    return pd.DataFrame(rows, columns=[*SETTING, *axes, *GUARANTEE.values()])


def reached(
    guaranteed: pd.DataFrame, column: str = "given_epsilon", **key: Any
) -> "pd.Series[Any]":
    """Return by setting what it is guaranteed: a column of the first row that has the key."""
    for name, value in key.items():
        guaranteed = guaranteed[guaranteed[name] == value]
    return guaranteed.drop_duplicates("setting").set_index("setting")[column]


def write_tidy(path: str | Path, table: pd.DataFrame) -> None:
    """Write a tidy table as CSV with exact numbers."""
    write_text(path, with_layout(table).to_csv(index=False, lineterminator="\n"))


def with_layout(table: pd.DataFrame) -> pd.DataFrame:
    """Return a tidy table with the version of what it holds as the last column."""
    return table.assign(**{LAYOUT: VERSION})


def read_tidy(path: str | Path, axes: Mapping[str, Any] | None = None) -> pd.DataFrame:
    """Read a tidy table back.

    Args:
        path: of the table.
        axes: axes that must have a column, with their defaults.

    Raises:
        UserError: if it is of another layout, or no table.
    """
    table = read_table(path, dtype=dict.fromkeys((*NAMES, RIGHT), str))
    if LAYOUT in table and not (table.pop(LAYOUT) == VERSION).all():
        raise UserError(f"table {path} has another layout than {VERSION}; remove it")
    missing = {axis: default for axis, default in (axes or {}).items() if axis not in table}
    return table.assign(**{a: float("nan") if d is None else d for a, d in missing.items()})


BY_RUN = ["task", "setting", "seed"]
"""Columns that tell the runs of all tasks apart."""


def all_runs(tables: Iterable[pd.DataFrame], further: Iterable[str] = ()) -> pd.DataFrame:
    """Return the runs of several experiments, those that they share once.

    Args:
        tables: with a row for each run, or several that `further` columns tell apart.
        further: these columns.
    """
    rows = pd.concat(tables, ignore_index=True)
    return rows.drop_duplicates([*BY_RUN, *further], ignore_index=True)


def per_seed(runs: pd.DataFrame, setting: str, column: str = "test_accuracy") -> "pd.Series[Any]":
    """Return a column of one setting's repetitions by seed, as it counts; empty if it was not run.

    Args:
        runs: tidy table.
        setting: its name.
        column: what was measured.
    """
    return runs[runs["setting"] == setting].set_index("seed")[column].sort_index()


def varying(runs: pd.DataFrame, beside: Collection[str]) -> list[str]:
    """Return the axes in which settings of a tidy table differ, the method among them, by column.

    Args:
        runs: tidy table.
        beside: axes that are left out.
    """
    named = {axis for setting in runs["setting"].unique() for axis in axes_of(setting)}
    return [
        column
        for column in runs
        if column in named - set(beside) and runs[column].nunique(dropna=False) > 1
    ]
