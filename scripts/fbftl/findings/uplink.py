"""What each method sends up, seed by seed: until it has converged, or is as accurate as the others.

The one place of every uplink and of every ratio to FbFTL's: table, figure, sentences and numbers
read what is written here.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

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
    return pd.DataFrame(_rows(methods))


def _rows(methods: Mapping[str, Exchanged]) -> Iterator[dict[str, Any]]:
    target = common_accuracy(methods)
    for name, run in methods.items():
        for until, epochs in ((SELECTED, run.selected), (COMMON, run.reaching(target))):
            ratio = times(run, epochs, methods.get("fbftl"))
            payload, bits = (run.until("up", total, epochs) for total in ("payload_bits", "bits"))
            for index, (seed, epoch) in enumerate(zip(run.seeds, epochs, strict=True)):
                yield {
                    "task": run.task,
                    "method": name,
                    "until": until,
                    "seed": seed,
                    "epoch": epoch,
                    "accuracy": float(run.accuracy[index, epoch - 1]),
                    "payload_bits": int(payload[index]),
                    "bits": int(bits[index]),
                    "times_fbftl": None if ratio is None else float(ratio[index]),
                    "diverged": run.diverged[index],
                }
