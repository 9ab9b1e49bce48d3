"""What varies in an experiment: the axes of its table, and the one that its figure runs along."""

from collections.abc import Iterable
from typing import Any

from fbftl.study import methods
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
