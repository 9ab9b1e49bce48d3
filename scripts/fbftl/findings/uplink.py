"""What each method sends up, seed by seed: until it has converged, or is as accurate as the others.

The one place of every uplink and of every ratio to FbFTL's: table, figure, sentences and numbers
read what is written here.
"""

from collections.abc import Mapping
from fractions import Fraction

import pandas as pd

from fbftl.findings.exchanged import Exchanged

SELECTED = "selected epoch"
"""Each seed's own, which the selection rule picked."""

COMMON = "common accuracy"
"""The first epoch of each seed at the highest test accuracy that every method reaches in all."""


def common_accuracy(methods: Mapping[str, Exchanged]) -> float:
    """Return the highest test accuracy that every method reaches in every seed, at some epoch."""
    return min(float(run.accuracy.max(axis=1).min()) for run in methods.values())


def times(run: Exchanged, epochs: list[int], fbftl: Exchanged | None) -> list[Fraction] | None:
    """Return how many times FbFTL's uplink a run's is, by seed, as the paper counts bits.

    None if FbFTL was not run. What FbFTL sends does not depend on the epoch.

    Args:
        run: the run.
        epochs: the last epoch that counts, per seed.
        fbftl: FbFTL's run on the same seeds.
    """
    if fbftl is None:
        return None
    bits = run.until("up", "payload_bits", epochs)
    fbftl_bits = fbftl.until("up", "payload_bits", fbftl.selected)
    return [Fraction(int(a), int(b)) for a, b in zip(bits, fbftl_bits, strict=True)]


def uplink(methods: Mapping[str, Exchanged]) -> pd.DataFrame:
    """Return a row per method, end of the count and seed.

    Columns: `task`, `method`, `until`, `seed`, `epoch`, `accuracy` (test, at that epoch),
    `payload_bits` (what the paper counts), `bits` (what was sent), `times_fbftl` (payload over
    FbFTL's of the same seed) and `diverged`.
    """
    target, parts = common_accuracy(methods), []
    for name, run in methods.items():
        for until, epochs in ((SELECTED, run.selected), (COMMON, run.reaching(target))):
            ratio = times(run, epochs, methods.get("fbftl"))
            columns = {
                "task": run.task,
                "method": name,
                "until": until,
                "seed": run.seeds,
                "epoch": epochs,
                "accuracy": [curve[at - 1] for curve, at in zip(run.accuracy, epochs, strict=True)],
                "payload_bits": run.until("up", "payload_bits", epochs),
                "bits": run.until("up", "bits", epochs),
                "times_fbftl": None if ratio is None else list(map(float, ratio)),
                "diverged": run.diverged,
            }
            parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)
