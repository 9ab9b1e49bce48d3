"""What a run sends, seed by seed, until it is as accurate as FbFTL or nearly so."""

from collections.abc import Mapping, Sequence

import numpy as np

from fbftl.findings.exchanged import Exchanged
from fbftl.findings.shown import ShownMethod

ENDS = {"equal": 0.0, "near": 0.01}
"""Names of ends of the count, and by how much of accuracy each is short of FbFTL's."""

PLAIN = "fbftl"
"""Name of the setting that every other is compared with: FbFTL's floats."""


def accuracy(run: Exchanged, of: str = "") -> np.ndarray:
    """Return the accuracy (S, E + 1) before the first round, 0 where unknown, and at each point.

    Args:
        run: the run.
        of: nothing for the test split, `validation_` for held-out samples.
    """
    split = of or "test_"
    curves = [
        [r.get(f"start_{of}accuracy") or 0.0, *r["series"][f"{split}accuracy"]]
        for r in run.repetitions
    ]
    return np.array(curves)


def points_at(run: Exchanged, fbftl: Exchanged, short: float, of: str = "") -> list[int | None]:
    """Return each seed's first point, 0 before the rounds, that is so short of FbFTL's accuracy.

    FbFTL's is that at its chosen epoch, of the same seed; None of a seed that never gets there.
    Curves go up and down, so that the first point there favours whoever has many.
    """
    split = of or "test_"
    wanted = [repetition[f"{split}accuracy"] - short for repetition in fbftl.repetitions]
    reached = accuracy(run, of) >= np.array(wanted)[:, None] - 1e-9
    return [int(row.argmax()) if row.any() else None for row in reached]


def total(run: Exchanged, direction: str, points: Sequence[int | None]) -> np.ndarray:
    """Return the bits sent up or down until each seed's point (S,); infinite without one."""
    sent = [0 if point is None else point for point in points]
    bits = run.until(direction, "bits", sent).astype(float)
    return np.where([point is None for point in points], np.inf, bits)


def named(run: Exchanged, methods: Mapping[str, ShownMethod]) -> str:
    """Return a run's name: its method's label, and the values of the axes in which it deviates."""
    values = [
        f"{axis.replace('_', ' ')} {value}"
        for axis, value in run.setting.values.items()
        if axis in run.setting.deviating
    ]
    return ", ".join([methods[run.method].figure_label, *values])
