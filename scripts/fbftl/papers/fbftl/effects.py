"""What the public script's habits do to accuracy (audit rows A2, A3, A4 and A14), measured.

Every run of a habit is paired with the run that differs in nothing else, seed by seed.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import pandas as pd

from fbftl.findings.published import Measured, effect
from fbftl.findings.runs import per_seed
from fbftl.findings.wording import axes_of
from fbftl.study.job import name_of

Setting = Mapping[str, str]
"""The method and every axis that differs from its default, as the setting's name has them."""

CONFIGURED, BEST = "test_accuracy", "test_accuracy_best"
"""Columns that have the test accuracy at the epoch picked as configured, and on the test set."""


def without(setting: Setting, axis: str) -> dict[str, str]:
    """Return a setting with an axis at its default."""
    return {name: value for name, value in setting.items() if name != axis}


@dataclass(frozen=True)
class Habit:
    """One habit of the script.

    id: the audit row.
    finding: what the script does.
    shown_by: whether a setting has it.
    corrected: the setting without it.
    selections: columns with the habit and without it, by how the epoch is picked.
    """

    id: str
    finding: str
    shown_by: Callable[[Setting], bool]
    corrected: Callable[[Setting], Setting]
    selections: Mapping[str, tuple[str, str]]


PICKED = {"as configured": (CONFIGURED, CONFIGURED), "on the test set": (BEST, BEST)}
"""Columns of both ways to pick the epoch, for habits of which neither is one."""

HABITS = (
    Habit(
        "A2",
        "lost samples come back in later epochs",
        lambda s: s["method"] == "fbftl" and s.get("loss") == "reshuffled",
        lambda s: without(s, "loss"),
        PICKED,
    ),
    Habit(
        "A3",
        "noise is drawn afresh every epoch",
        lambda s: s.get("noise_draw") == "redrawn",
        lambda s: without(s, "noise_draw"),
        PICKED,
    ),
    Habit(
        "A4",
        "dropout is active while features are extracted",
        lambda s: s["method"] == "released" and "plr" not in s,
        lambda s: without(s, "cut") | {"method": "fbftl"},
        PICKED,
    ),
    Habit(
        "A14",
        "the epoch is picked on the test set",
        lambda s: s.keys() <= {"method", "cut"},
        lambda s: s,
        {"both": (BEST, CONFIGURED)},
    ),
)
"""All but the last are a setting; that one is of every method without loss, noise, compression."""


def effects(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per habit, setting and choice of the epoch; accuracies in percent.

    Args:
        runs: tidy table of one task. Settings whose partner is not in it have no row.
    """
    return pd.DataFrame(_rows(runs))


def _rows(runs: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for habit, name in product(HABITS, sorted(runs["setting"].unique())):
        setting = axes_of(name)
        if not habit.shown_by(setting):
            continue
        partner = name_of(habit.corrected(setting))
        diverged = [int(per_seed(runs, of, "diverged").sum()) for of in {name, partner}]
        for selection, columns in habit.selections.items():
            released = per_seed(runs, name, columns[0])
            corrected = per_seed(runs, partner, columns[1])
            if corrected.empty:
                continue
            change = Measured.of(list((100 * (released - corrected)).dropna()))
            yield {
                "id": habit.id,
                "finding": habit.finding,
                "setting": name,
                "selection": selection,
                **Measured.of(list(100 * released)).columns("released"),
                **Measured.of(list(100 * corrected)).columns("corrected"),
                **change.columns("difference"),
                "seeds": change.seeds,
                "diverged": sum(diverged),
                "effect": effect(change),
                "section": f"docs/papers/fbftl.md#{habit.id.lower()}",
            }
