"""What any experiment of one's own gets: a table over what varies in it, and a line plot."""

from collections.abc import Callable, Iterable
from typing import Any

from fbftl.plan import paths
from fbftl.plan.entries import Entry, Result
from fbftl.plan.paths import EXPERIMENT, TASK
from fbftl.study import methods
from fbftl.study.config import Study
from fbftl.study.settings import DEFAULTS, TYPES, Setting


def varying(settings: Iterable[Setting]) -> list[str]:
    """Return the axes that have several values over the settings, in the fixed order."""
    return [axis for axis, values in _values(settings).items() if len(values) > 1]


def given(settings: Iterable[Setting]) -> list[str]:
    """Return the axes in which a setting deviates: first those that vary, then what all share."""
    values = _values(settings)
    return sorted(values, key=lambda axis: len(values[axis]) == 1)


def longest(settings: Iterable[Setting]) -> str | None:
    """Return the axis that a figure runs along; None if none varies.

    It is the numeric axis with the most numbers, of which none is no number. Where none has two, it
    is the axis with the most values, which are categories. Of several as long it is the first in
    the fixed order.
    """
    values = _values(settings)
    numbers = {a: given - {None} for a, given in values.items() if TYPES[a] in (int, float)}
    for given in (numbers, values):
        axis = max(given, key=lambda axis: len(given[axis]), default=None)
        if axis is not None and len(given[axis]) > 1:
            return axis
    return None


def lacking(settings: Iterable[Setting]) -> dict[str, list[str]]:
    """Return by axis that deviates somewhere the methods of the settings that do not have it."""
    settings = list(settings)
    names = sorted({setting.method for setting in settings})
    return {
        axis: [name for name in names if not methods.record(name).knows(axis)]
        for axis in _values(settings)
    }


def _values(settings: Iterable[Setting]) -> dict[str, set[Any]]:
    """Return the values over the settings of every axis in which one deviates."""
    settings = list(settings)
    deviating = {axis for setting in settings for axis in setting.deviations()}
    return {
        axis: {getattr(setting, axis) for setting in settings}
        for axis in DEFAULTS
        if axis in deviating
    }


def of_settings(found: Callable[[Iterable[Setting]], Any]) -> Callable[..., Any]:
    """Return the function of study, task and experiment that asks something of its settings."""
    return lambda study, task, experiment: found(study.settings[task][experiment].values())


def of_every_source(study: Study, task: str, experiment: str) -> list[str]:
    """Return the experiment's tidy table under each source network of a task, in their order."""
    tasks = study.with_repeats([task])
    if len(tasks) == 1:
        raise ValueError(f"{task} has one source network; give it source_seeds")
    return [paths.tidy(each, experiment) for each in tasks]


VARYING = {"varying": of_settings(varying)}

SWEEP: list[Entry] = [
    Result(
        "tabulate_own.sweep", "sweep", EXPERIMENT,
        params={"given": of_settings(given), "lacking": of_settings(lacking)},
        stem="sweep_{experiment}",
    ),
    Result(
        "plot_sweep.sweep", "sweep", EXPERIMENT, {"table": paths.table(TASK, "sweep_{experiment}")},
        VARYING | {"along": of_settings(longest)}, stem="sweep_{experiment}",
    ),
]  # fmt: skip

UNDER_SOURCES = {"runs": of_every_source}

SOURCES: list[Entry] = [
    Result(
        "tabulate_own.sources", "sources", EXPERIMENT,
        UNDER_SOURCES, VARYING, stem="sources_{experiment}",
    ),
    Result(
        "plot_sweep.sources", "sources", EXPERIMENT,
        UNDER_SOURCES, VARYING, stem="sources_{experiment}",
    ),
]  # fmt: skip
"""What any experiment gets where its task has several source networks: both parts of the spread."""
