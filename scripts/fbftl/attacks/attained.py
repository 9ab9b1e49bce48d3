"""What an adversary attains of several victims, beside its guess without what they sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fbftl.attacks.findings import summary


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
        told = {"attack": self.attack, "adversary": self.adversary, "measure": self.measure}
        return told | summary(self.values) | {"blind": self.blind}

    @property
    def fails(self) -> bool:
        """Whether it does worse than the blind guess by more than two standard errors."""
        found = summary(self.values)
        worse = (found["value"] - self.blind) * (1 if self.lower else -1)
        return worse > 2 * found["spread"] / np.sqrt(found["repetitions"])


def share_right(true: Sequence[np.ndarray], guessed: Sequence[np.ndarray]) -> list[float]:
    """Return the share of each victim's samples whose label guessed counts (N,) have right."""
    pairs = zip(true, guessed, strict=True)
    return [float(np.minimum(own, other).sum() / own.sum()) for own, other in pairs]


def label_counts(labels: np.ndarray, rows: Sequence[np.ndarray], classes: int) -> list[np.ndarray]:
    """Return how many samples of each label (N,) every victim has, given its rows of the labels."""
    return [np.bincount(labels[own], minlength=classes) for own in rows]
