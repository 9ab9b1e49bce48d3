"""Whether features differ from sample to sample: without that no head beats the largest class."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from fbftl.features.store.ragged import Column

log = logging.getLogger("fbftl")

LEAST_DEVIATION = 1e-3
"""Root mean square deviation from the mean, absolute and by the features' own size, that is little:
heads start at values and step at rates that are made for features of about 1."""


@dataclass
class Sums:
    """Sums over the rows of a split at one cut: rows, and per feature values and their squares."""

    rows: int = 0
    values: np.ndarray | float = 0.0
    squares: np.ndarray | float = 0.0

    def add(self, features: np.ndarray) -> None:
        """Add rows, (n, width)."""
        values = features.astype(np.float64)
        self.rows += len(values)
        self.values = self.values + values.sum(axis=0)
        self.squares = self.squares + np.square(values).sum(axis=0)

    def deviation(self) -> float:
        """Return the deviation from the mean, root mean square, over size where that is above 1."""
        mean, square = self.values / self.rows, self.squares / self.rows
        size = float(np.sqrt(np.mean(square)))
        return float(np.sqrt(np.mean(np.maximum(square - np.square(mean), 0)))) / max(size, 1.0)


@dataclass
class Variation:
    """What a split's features and classes add up to, for a warning at its end."""

    split: str
    cuts: dict[str, Sums] = field(default_factory=dict)
    classes: dict[int, int] = field(default_factory=dict)

    def add(self, features: Mapping[str, Column], columns: Mapping[str, Column]) -> None:
        """Add a batch; features of varying length, of dialogues, are left out."""
        labels = columns["labels"]
        if not isinstance(labels, np.ndarray) or labels.ndim != 1:
            return
        for label, count in zip(*np.unique(labels, return_counts=True), strict=True):
            self.classes[int(label)] = self.classes.get(int(label), 0) + int(count)
        for cut, values in features.items():
            if isinstance(values, np.ndarray) and values.ndim == 2:
                self.cuts.setdefault(cut, Sums()).add(values)

    def warn(self) -> None:
        """Log a sentence for each cut whose features hardly vary."""
        for cut, sums in self.cuts.items():
            # Of one sample, and of no classes, there is nothing to say.
            if sums.rows > 1 and (deviation := sums.deviation()) < LEAST_DEVIATION:
                share = max(self.classes.values()) / sums.rows
                log.warning(
                    "features of %s at %s vary by %.1e from sample to sample: heads on them reach "
                    "little more than the majority share, %.4f of the samples; take another cut, "
                    "or a source with trained weights",
                    self.split,
                    cut,
                    deviation,
                    share,
                )
