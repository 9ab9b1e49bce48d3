"""What adversaries attain, beside their guess without a message, and findings in one layout."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fbftl.attacks.label_recovery import blind_counts, share_recovered
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


@dataclass(frozen=True)
class Attained:
    """One attack on one setting's messages.

    attack: membership, label recovery or inversion.
    adversary: who it is and what it sees.
    measure: in what it is told.
    values: of each victim.
    blind: mean over the victims of what the guess without the message comes to.
    lower: whether the adversary has done well where the measure is small.
    """

    attack: str
    adversary: str
    measure: str
    values: Sequence[float]
    blind: float
    lower: bool = False

    @property
    def row(self) -> dict[str, Any]:
        """Mean over the victims, their spread and number, and all else that a table tells."""
        columns = {"attack": self.attack, "adversary": self.adversary, "measure": self.measure}
        return columns | summary(self.values) | {"blind": self.blind}

    @property
    def columns(self) -> dict[str, float]:
        """Mean over the victims in a column called after the attack, the guess under `_blind`."""
        name = self.attack.replace(" ", "_")
        return {name: self.row["value"], f"{name}_blind": self.blind}

    @property
    def fails(self) -> bool:
        """Whether it does worse than the blind guess by more than two standard errors."""
        score = summary(self.values)
        worse = (score["value"] - self.blind) * (1 if self.lower else -1)
        return worse > 2 * score["spread"] / np.sqrt(score["repetitions"])


def found_of(attained: Attained, **context: Any) -> Finding:
    """Return what is attained as a finding, with all else that one tells."""
    return Finding(**(attained.row | context))


def label_counts(labels: np.ndarray, rows: Sequence[np.ndarray], classes: int) -> list[np.ndarray]:
    """Return how many samples of each label (N,) every victim has, given its rows of the labels."""
    return [np.bincount(labels[of_victim], minlength=classes) for of_victim in rows]


def labels_recovered(
    labels: np.ndarray, rows: Sequence[np.ndarray], guessed: Sequence[np.ndarray], classes: int
) -> Attained:
    """Return how many of each victim's labels the server has right.

    Args:
        labels: of all samples.
        rows: each victim's samples among them.
        guessed: counts (N,) of each victim's labels.
        classes: N.
    """
    true = label_counts(labels, rows, classes)
    balanced = [blind_counts(classes, len(of_victim)) for of_victim in rows]
    right, blind = (
        [share_recovered(counts, of_victim) for counts, of_victim in zip(guess, true, strict=True)]
        for guess in (guessed, balanced)
    )
    measure = "share of labels right"
    return Attained("label recovery", "server", measure, right, float(np.mean(blind)))
