"""What varies in an experiment: the axes of its table, and the one that its figure runs along."""

from collections.abc import Iterable
from typing import Any

from fbftl.study.settings import DEFAULTS, TYPES, Setting


def varying(settings: Iterable[Setting]) -> list[str]:
    """Return the axes that have several values over the settings, in the fixed order."""
    return [axis for axis, values in _values(settings).items() if len(values) > 1]


def longest(settings: Iterable[Setting]) -> str | None:
    """Return the numeric axis with the most numbers over the settings; None if none has two.

    Of several as long it is the first in the fixed order. A default of none is no number.
    """
    numbers = {
        axis: values - {None}
        for axis, values in _values(settings).items()
        if TYPES[axis] in (int, float)
    }
    axis = max(numbers, key=lambda axis: len(numbers[axis]), default=None)
    return axis if axis is not None and len(numbers[axis]) > 1 else None


def _values(settings: Iterable[Setting]) -> dict[str, set[Any]]:
    """Return the values over the settings of every axis in which one deviates."""
    settings = list(settings)
    deviating = {axis for setting in settings for axis in setting.deviations()}
    return {
        axis: {getattr(setting, axis) for setting in settings}
        for axis in DEFAULTS
        if axis in deviating
    }
