"""What varies in an experiment: the axes of its table, and the one that its figure runs along."""

from collections.abc import Iterable, Sequence

from fbftl.study.settings import DEFAULTS, TYPES, Setting


def varying(settings: Iterable[Setting]) -> list[str]:
    """Return the axes that have several values over the settings, in the fixed order."""
    settings = list(settings)
    return [axis for axis in DEFAULTS if len({getattr(one, axis) for one in settings}) > 1]


def longest(settings: Sequence[Setting]) -> str | None:
    """Return the numeric axis with the most numbers over the settings; None if none has two.

    Of several as long it is the first in the fixed order. A default of none is no number.
    """
    numbers = {
        axis: {getattr(one, axis) for one in settings} - {None}
        for axis, kind in TYPES.items()
        if kind in (int, float)
    }
    axis = max(numbers, key=lambda axis: len(numbers[axis]))
    return axis if len(numbers[axis]) > 1 else None
