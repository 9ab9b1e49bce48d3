"""Setups: what a result was measured on, and whether that is what a paper measured on.

Only in the published setup does a measured number compare with the printed one. A setup is a
mapping with the keys of `DIFFERENCES`, all text: a run's comes from the plan
(`fbftl.findings.setup`), a paper's from `published/`.
"""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from fbftl.ground.errors import UserError

DIFFERENCES = {
    "task": "another task",
    "backbone": "another backbone",
    "size": "another size",
    "data": "a part of the data",
    "encoding": "another encoding",
}
"""Keys of a setup, and what is said where one differs."""

Setup = Mapping[str, str]


def reason(run: Setup, published: Setup) -> str:
    """Return what differs between a run's setup and a published one; empty if they are the same."""
    return ", ".join(words for key, words in DIFFERENCES.items() if run[key] != published[key])


def published_setup(path: str | Path, paper: str, task: str) -> dict[str, str]:
    """Return a paper's setup of one task.

    Args:
        path: `published/setups.csv`.
        paper: value of its column `paper`, e.g. `fbftl`.
        task: value of its column `task`, e.g. `cifar10`.

    Raises:
        UserError: if the file cannot be read, lacks a column, or has not one such row.
    """
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        rows = frame[(frame["paper"] == paper) & (frame["task"] == task)]
        (row,) = rows[list(DIFFERENCES)].to_dict("records")
    except (OSError, ValueError, KeyError) as error:
        raise UserError(
            f"cannot read the setup of {task} in {paper} from {path}: {error}"
        ) from error
    return row


def differs(setup: Setup, path: str | Path, task: str, paper: str = "fbftl") -> str:
    """Return what makes a task's results not comparable with a paper's; empty if nothing does.

    Args:
        setup: the task's.
        path: `published/setups.csv`.
        task: the published one.
        paper: whose.
    """
    return reason(setup, published_setup(path, paper, task))
