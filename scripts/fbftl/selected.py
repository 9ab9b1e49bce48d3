"""Reading single settings out of a tidy table of runs: one value per seed."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import pandas as pd

from fbftl.settings import Setting, axis_names, from_axes


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
