"""What attacks find, in one layout: a row per attack, adversary, level of noise and measure."""

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fbftl.ground.files import write_text


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One number that an adversary attains, beside what it has without the attack.

    attack: inversion, membership or label recovery.
    adversary: what the adversary sees and knows.
    unit: what the mechanism protects: one sample or one client.
    epsilon: None without a guarantee.
    spread: standard deviation over the repetitions.
    blind: what the measure comes to without what the client sent.
    """

    attack: str
    method: str
    adversary: str
    mechanism: str = "none"
    unit: str | None = None
    epsilon: float | None = None
    samples_per_client: int | None = None
    measure: str
    value: float
    spread: float
    blind: float
    repetitions: int


COLUMNS = [field.name for field in fields(Finding)]


def summary(values: ArrayLike) -> dict[str, float | int]:
    """Return the mean of repeated measurements, their standard deviation and their number."""
    array = np.asarray(values, dtype=float)
    spread = float(array.std(ddof=1)) if len(array) > 1 else 0.0
    return {"value": float(array.mean()), "spread": spread, "repetitions": len(array)}


def found(values: ArrayLike, blind: float, **context: Any) -> Finding:
    """Return the finding of repeated measurements.

    Args:
        values: of the measure.
        blind: what it comes to without what the client sent.
        context: all else that a finding tells.
    """
    return Finding(blind=float(blind), **context, **summary(values))


def write_findings(path: str | Path, findings: list[Finding]) -> None:
    """Write findings as CSV with exact numbers."""
    table = pd.DataFrame([asdict(finding) for finding in findings], columns=COLUMNS)
    write_text(path, table.to_csv(index=False, lineterminator="\n"))
