"""The tidy table of runs: what tables and figures read, and nothing else."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pandas as pd

from fbftl.ground.files import write_text
from fbftl.privacy.mechanisms import PrivacyRecord
from fbftl.study.settings import Setting, axis_names, from_axes

MEASURES = [
    "seed",
    "epoch",
    "test_accuracy",
    "test_accuracy_best",
    "validation_accuracy",
    "diverged",
    "offered",
    "received",
    "seen",
    "nominal_bits",
    "packed_bits",
    "entropy_coded_bits",
    "limit_bits",
    "model_bits",
    "distortion",
]
"""Columns beside the axes: one repetition's outcome; from `nominal_bits` on per sampled message."""

LANGUAGE_MEASURES = [
    "trained_encoders",
    "numbers_per_batch",
    "upload_batches",
    "uplink_payload_bits",
    "uplink_bits",
    "downlink_bits",
    "token_id_bits",
    "rouge1",
    "rouge2",
    "rougeL",
    "rougeLsum",
]
"""Further columns of runs of the language task; tables of other tasks leave them out."""


def tidy(runs: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a row per run and seed, with the task, every axis, and what was measured.

    Args:
        runs: documents of run files; the settings inside count, not the files' names.
    """
    rows = [
        {"task": run["task"]} | asdict(from_axes(run["setting"])) | repetition
        for run in runs
        for repetition in run["repetitions"]
    ]
    further = [name for name in LANGUAGE_MEASURES if any(name in row for row in rows)]
    columns = ["task", *axis_names(), *MEASURES, *further]
    chosen = [{name: row.get(name) for name in columns} for row in rows]
    return pd.DataFrame(chosen, columns=columns)


GUARANTEE = [field.name for field in fields(PrivacyRecord)]
"""Columns of a guarantee; those that an axis has too are prefixed with `given_`."""


def guarantees(runs: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a row per run and guarantee that its mechanisms give, the first repetition's.

    Args:
        runs: documents of run files.
    """
    names = {name: f"given_{name}" if name in axis_names() else name for name in GUARANTEE}
    rows = [
        {"task": run["task"]}
        | asdict(from_axes(run["setting"]))
        | {names[name]: guarantee[name] for name in GUARANTEE}
        for run in runs
        for guarantee in run["repetitions"][0]["privacy"]
    ]
    return pd.DataFrame(rows, columns=["task", *axis_names(), *names.values()])


def write_tidy(path: str | Path, table: pd.DataFrame) -> None:
    """Write a tidy table as CSV with exact numbers."""
    write_text(path, table.to_csv(index=False, lineterminator="\n"))


def read_tidy(path: str | Path) -> pd.DataFrame:
    """Read a tidy table back."""
    return pd.read_csv(path, keep_default_na=False, na_values=[""])


def mean_and_spread(runs: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Return mean, standard deviation over seeds and number of seeds of the test accuracy.

    Args:
        runs: tidy table.
        by: axes whose values name a row; every other axis must be constant inside a row.
    """
    grouped = runs.groupby(by, dropna=False, sort=True)
    return grouped.agg(
        accuracy=("test_accuracy", "mean"),
        spread=("test_accuracy", "std"),
        seeds=("seed", "nunique"),
        offered=("offered", "mean"),
        received=("received", "mean"),
        seen=("seen", "mean"),
    ).reset_index()


def all_runs(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return the runs of several experiments, those that they share once."""
    runs = pd.concat(tables, ignore_index=True)
    return runs.drop_duplicates(["task", *axis_names(), "seed"], ignore_index=True)


def per_seed(runs: pd.DataFrame, setting: Setting, column: str = "test_accuracy") -> pd.Series:
    """Return a column of one setting's repetitions by seed; empty if it was not run.

    Args:
        runs: tidy table.
        setting: the setting, simplified.
        column: what was measured.
    """
    chosen = pd.Series(True, index=runs.index)
    for axis, value in asdict(setting).items():
        chosen &= runs[axis].isna() if value is None else runs[axis] == value
    return runs[chosen].set_index("seed")[column].sort_index()


def settings_in(runs: pd.DataFrame) -> list[Setting]:
    """Return the settings of a tidy table, sorted by name."""
    rows = runs[axis_names()].drop_duplicates().to_dict("records")
    found = {from_axes({axis: _plain(value) for axis, value in row.items()}) for row in rows}
    return sorted(found, key=lambda setting: setting.name)


def _plain(value: Any) -> Any:
    return None if pd.isna(value) else value
