"""The columns that many tables share, each with one heading and one way to print it.

A heading is in sentence case. A mean over seeds has its standard deviation right beside it, under
`±` and in the mean's unit; the csv calls it by the mean with `_spread` behind, and that of the
accuracy just `spread`.
"""

from collections.abc import Callable
from typing import Any

from fbftl.findings.tables import Column, prefixed
from fbftl.findings.wording import axis_name
from fbftl.study.job import FAR_BEHIND

PERCENT = "{:z.1%}"
"""A share of 1 as tables print it."""

METHOD = Column("label", "Method", page=True)
EPSILON = Column("epsilon", "ε", format="{:g}", page=True)
SEEDS = Column("seeds", "Seeds", format="{:.0f}")
DIVERGED = Column("diverged", "Diverged", format="{:.0f}")
"""Of the seeds, those whose loss stopped being finite."""

SEED_COUNTS = (SEEDS, DIVERGED)

BY_SEED = (Column("setting", "Setting"), Column("seed", "Seed", format="{:.0f}"))
"""Whose row it is, where every seed has one."""

TEST_SET = Column("test_set_error", "Test set ±", format=PERCENT)
"""Standard error that an accuracy has because another test set of the size scores otherwise."""

MAJORITY = Column("majority", "Majority-class baseline", format=PERCENT)
"""What always answering the most frequent class scores: the level that an accuracy has to pass."""

UNDERTRAINED = Column("undertrained", "Under-trained", page=True)
"""What ridge regression on the same features has, where a head is far behind it; else nothing."""

DOWNLINK = Column("downlink_bits", "Downlink", "bits", prefixed)
"""What clients are sent up to the epoch that counts, after the frozen part was deployed."""

FROZEN = Column("frozen_bits", "Frozen part, once", "bits", prefixed)
"""The part of the network that no client trains, as every client is sent it before all else."""

VERDICT = Column("verdict", "Verdict", page=True)
REASON = Column("reason", "Not comparable for")
"""What differs from the published setup."""


def with_spread(
    name: str,
    heading: str,
    unit: str = "",
    format: str | Callable[[Any], str] = PERCENT,
    spread: str = "",
    page: bool = False,
) -> tuple[Column, Column]:
    """Return the column of a mean over seeds and that of its standard deviation.

    Args:
        name: column of the mean.
        heading: of the mean.
        unit: of both.
        format: of both; a sign that it asks for is the mean's alone.
        spread: column of the standard deviation, if it is not `{name}_spread`.
        page: whether the page keeps both.
    """
    unsigned = format.replace("+", "") if isinstance(format, str) else format
    beside = Column(spread or f"{name}_spread", "±", format=unsigned)
    return Column(name, heading, unit, format, page=page), beside


def points(share: float) -> str:
    """Return a difference of two shares in percentage points."""
    return f"{100 * share:z.1f}"


def signed_points(share: float) -> str:
    """Return a difference of two shares in percentage points, with its sign."""
    return f"{100 * share:+z.1f}"


def difference(name: str, heading: str) -> tuple[Column, Column]:
    """Return the columns of a difference of accuracies, in points, and of its spread."""
    mean = Column(name, heading, "points", signed_points, page=True)
    return mean, Column(f"{name}_spread", "±", format=points)


def accuracy(heading: str = "Accuracy", format: str = PERCENT) -> tuple[Column, Column]:
    """Return the columns `accuracy` and `spread`."""
    return with_spread("accuracy", heading, format=format, spread="spread", page=True)


def undertrained(accuracy: float, ridge: float | None) -> str:
    """Return what stands under `UNDERTRAINED`, of the means over seeds."""
    far_behind = ridge is not None and ridge - accuracy > FAR_BEHIND
    return f"ridge regression has {ridge:.1%}" if far_behind else ""


def judged_against(
    what: str, heading: str = "Published", format: str = PERCENT
) -> tuple[Column, Column, Column]:
    """Return the columns of `printed.judged`: what was published, the verdict, and its reason.

    Args:
        what: of which the published value is, such as a data set.
        heading: what was published.
        format: of the published value.
    """
    return Column("published", f"{heading}, {what}", format=format, page=True), VERDICT, REASON


def heading_of(axis: str) -> str:
    """Return the heading of an axis that a study varies: its name in words."""
    words = axis_name(axis)
    return words[:1].upper() + words[1:]
