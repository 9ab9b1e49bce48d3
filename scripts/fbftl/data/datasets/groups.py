"""People in groups, drawn here: vectors of which some columns tell the class and some the group.

Every column has unit variance: `OF_CLASS` columns have their mean at plus or minus the class's
shift, `OF_GROUP` columns at the group's, spread evenly from plus to minus it, and the rest is
noise. Groups differ in how frequent the second class is, so that whoever can tell the group has a
reason to treat it differently. Rows come in random order: a row's number says nothing of its group.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fbftl.data.datasets.base import Outline, Samples
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream

OF_CLASS, OF_GROUP, OF_NOISE = 4, 4, 12
WIDTH = OF_CLASS + OF_GROUP + OF_NOISE
CLASSES = ("0", "1")


def outline(spec: Mapping[str, Any], folder: Path | None) -> Outline:
    """Return what is known of the people.

    Raises:
        UserError: if there are other shares than groups.
    """
    shares, rates = spec.get("shares"), spec["rates"]
    if shares is not None and len(shares) != len(rates):
        raise UserError(
            f"data.shares has {len(shares)} numbers for {len(rates)} groups of data.rates; give "
            "one for each"
        )
    return Outline(_counts(spec), CLASSES, (1, 1, WIDTH))


def read(spec: Mapping[str, Any], folder: Path | None) -> tuple[list[Samples], Sequence[str]]:
    """Return training and test samples; in the test split the groups have equal shares."""
    splits = zip(("train", "test"), _counts(spec), strict=True)
    return [sampled(spec, name, count) for name, count in splits], CLASSES


def _counts(spec: Mapping[str, Any]) -> tuple[int, int]:
    return spec["samples"], len(spec["rates"]) * spec["test_per_group"]


def sampled(spec: Mapping[str, Any], split: str, count: int) -> Samples:
    """Return so many samples of a split."""
    rng, rates = stream(spec["seed"], f"groups {split}"), np.array(spec["rates"])
    shares = None if split == "test" else spec.get("shares")
    in_order = np.arange(count) % len(rates)
    if shares is not None:
        ends = np.rint(np.cumsum(shares) / np.sum(shares) * count)
        in_order = np.searchsorted(ends, np.arange(count), side="right")
    group = rng.permutation(in_order)
    label = (rng.random(count) < rates[group]).astype(np.int64)
    values = rng.standard_normal((count, WIDTH))
    values[:, :OF_CLASS] += spec["class_shift"] * (2 * label - 1)[:, None]
    centres = spec["group_shift"] * np.linspace(1, -1, len(rates))
    values[:, OF_CLASS : OF_CLASS + OF_GROUP] += centres[group][:, None]
    return Samples(values.astype(np.float32)[:, None, None], label, groups=group)
