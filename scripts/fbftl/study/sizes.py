"""Sizes of studies: what a task can bear out, which is the ending of its name."""

from enum import StrEnum


class Size(StrEnum):
    """What a task's runs are for; only those of a full study get a verdict."""

    QUICK = "quick"
    FULL = "full"


def size_of(task: str) -> Size:
    """Return a task's size: quick unless its name ends in `-full`."""
    return Size.FULL if task.endswith(f"-{Size.FULL}") else Size.QUICK
