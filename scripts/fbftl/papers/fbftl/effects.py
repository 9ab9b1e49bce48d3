"""What the public script's habits do to accuracy (audit rows A2, A3, A4 and A14), measured.

Every run of a habit is paired with the run that differs in nothing else, seed by seed.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from fbftl.findings.comparison import Measured, effect
from fbftl.findings.runs import per_seed, settings_in

Setting = Mapping[str, Any]
"""The method and every axis that differs from its default, as the tidy table has them."""


def without(setting: Setting, axis: str) -> dict[str, Any]:
    """Return a setting with an axis at its default."""
    return {name: value for name, value in setting.items() if name != axis}


@dataclass(frozen=True)
class Habit:
    """One habit of the script.

    id: the audit row.
    finding: what the script does.
    shown_by: whether a setting has it.
    corrected: the setting without it.
    """

    id: str
    finding: str
    shown_by: Callable[[Setting], bool]
    corrected: Callable[[Setting], Setting]


HABITS = (
    Habit(
        "A2",
        "lost samples come back in later epochs",
        lambda s: s["method"] == "fbftl" and s.get("loss") == "reshuffled",
        lambda s: without(s, "loss"),
    ),
    Habit(
        "A3",
        "noise is drawn afresh every epoch",
        lambda s: s.get("noise_draw") == "redrawn",
        lambda s: without(s, "noise_draw"),
    ),
    Habit(
        "A4",
        "dropout is active while features are extracted",
        lambda s: s["method"] == "released" and "plr" not in s,
        lambda s: without(s, "cut") | {"method": "fbftl"},
    ),
)
"""Habits that are a setting of their own."""

SELECTIONS = {"as configured": "test_accuracy", "on the test set": "test_accuracy_best"}
"""How the epoch is picked, and the column that has the test accuracy then."""


def effects(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per habit, setting and choice of the epoch; accuracies in percent.

    Args:
        runs: tidy table of one task. Settings whose partner is not in it have no row.
    """
    return pd.DataFrame([*_of_settings(runs), *_of_selection(runs)], columns=COLUMNS)


COLUMNS = [
    "id", "finding", "setting", "selection", "released", "released_spread", "corrected",
    "corrected_spread", "difference", "difference_spread", "seeds", "diverged", "effect",
    "section",
]  # fmt: skip


def _of_settings(runs: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for habit in HABITS:
        for name, setting in settings_in(runs).items():
            if not habit.shown_by(setting):
                continue
            for selection, column in SELECTIONS.items():
                partner = habit.corrected(setting)
                released = per_seed(runs, setting, column)
                corrected = per_seed(runs, partner, column)
                if len(corrected):
                    diverged = _diverged(runs, setting) + _diverged(runs, partner)
                    row = _row(habit.id, habit.finding, name, selection, released, corrected)
                    yield row | {"diverged": diverged}


def _of_selection(runs: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield audit row A14 for every method without loss, noise and compression."""
    for name, setting in settings_in(runs).items():
        if setting.keys() <= {"method", "cut"}:
            best = per_seed(runs, setting, "test_accuracy_best")
            configured = per_seed(runs, setting)
            finding = "the epoch is picked on the test set"
            row = _row("A14", finding, name, "both", best, configured)
            yield row | {"diverged": _diverged(runs, setting)}


def _diverged(runs: pd.DataFrame, setting: Setting) -> int:
    """Return how many of a setting's seeds diverged."""
    return int(per_seed(runs, setting, "diverged").sum())


def _row(
    id: str, finding: str, setting: str, selection: str, released: pd.Series, corrected: pd.Series
) -> dict[str, Any]:
    difference = (100 * (released - corrected)).dropna()
    before, after, change = (
        Measured.of(list(values)) for values in (100 * released, 100 * corrected, difference)
    )
    return {
        "id": id,
        "finding": finding,
        "setting": setting,
        "selection": selection,
        "released": before.mean,
        "released_spread": before.spread,
        "corrected": after.mean,
        "corrected_spread": after.spread,
        "difference": change.mean,
        "difference_spread": change.spread,
        "seeds": change.seeds,
        "effect": effect(change),
        "section": f"docs/papers/fbftl.md#{id.lower()}",
    }
