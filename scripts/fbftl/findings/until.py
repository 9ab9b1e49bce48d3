"""What a run sends, seed by seed, until it is as accurate as FbFTL or nearly so."""

from collections.abc import Mapping, Sequence

import numpy as np

from fbftl.findings.exchanged import Exchanged
from fbftl.findings.wording import rounds_words

ENDS = {"equal": 0.0, "near": 0.01}
"""Names of ends of the count, and by how much of accuracy each is short of FbFTL's."""

PLAIN = "fbftl"
"""The method that every other is compared with: FbFTL, whose floats are its plain setting."""


def accuracy(run: Exchanged, of: str = "test") -> np.ndarray:
    """Return the accuracy (S, E + 1) before the first round, 0 where unknown, and at each point.

    Args:
        run: the run.
        of: the test split, or validation for held-out samples.
    """
    before = "start_accuracy" if of == "test" else f"start_{of}_accuracy"
    return np.array(
        [[r.get(before) or 0.0, *r["series"][f"{of}_accuracy"]] for r in run.repetitions]
    )


def points_at(run: Exchanged, fbftl: Exchanged, short: float, of: str = "test") -> list[int | None]:
    """Return each seed's first point, 0 before the rounds, that is so short of FbFTL's accuracy.

    FbFTL's is that at its chosen epoch, of the same seed; None of a seed that never gets there.
    Curves go up and down, so that the first point there favours whoever has many.
    """
    wanted = [repetition[f"{of}_accuracy"] - short for repetition in fbftl.repetitions]
    reached = accuracy(run, of) >= np.array(wanted)[:, None] - 1e-9
    return [int(row.argmax()) if row.any() else None for row in reached]


def sent_until(run: Exchanged, direction: str, points: Sequence[int | None]) -> np.ndarray:
    """Return the bits sent up or down until each seed's point (S,), all of them without one.

    A head that is good enough before anything is sent counts as one bit, which has a logarithm.
    """
    last = [run.points if point is None else point for point in points]
    return np.maximum(run.until(direction, "bits", last), 1).astype(float)


def names(runs: Sequence[Exchanged], labels: Mapping[str, str]) -> list[str]:
    """Return a name of each run: its method's label, and the axes in which its method's vary."""
    found = []
    for run in runs:
        alike = [other.setting.values for other in runs if other.method == run.method]
        varied = {
            axis: value
            for axis, value in run.setting.values.items()
            if axis in run.setting.deviating and any(o[axis] != value for o in alike)
        }
        found.append(", ".join([labels[run.method], *rounds_words(varied)]))
    return found
