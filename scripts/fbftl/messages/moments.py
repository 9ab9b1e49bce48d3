"""Class means of clients, and how far each dimension of a class scatters around them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fbftl.messages.statistics import ClassMeans, Statistics


@dataclass(frozen=True, eq=False)
class Moments:
    """What is known of samples of N classes in d dimensions, one dimension at a time.

    means: class means of every client.
    scatter: (N, d) squares of the samples of a class around their clients' means, summed.
    """

    means: ClassMeans
    scatter: np.ndarray

    @classmethod
    def of(
        cls, values: np.ndarray, labels: np.ndarray, client: np.ndarray, classes: int
    ) -> "Moments":
        """Return the moments of samples (n, d) by client (n,) and label (n,)."""
        means = ClassMeans.of(values, labels, client, classes)
        belongs = (labels == np.arange(classes)[:, None]).astype(np.float64)
        squares = belongs @ values.astype(np.float64) ** 2
        return cls(means, np.maximum(squares - _squares(means), 0))

    def __add__(self, other: "Moments") -> "Moments":
        """Return the moments of the samples of both, which no client has in common."""
        return Moments(self.means + other.means, self.scatter + other.scatter)

    @cached_property
    def within(self) -> np.ndarray:
        """Squares of the samples of each class around its mean, summed, (N, d)."""
        counts = np.maximum(self.means.counts_of, 1)[:, None]
        around = _squares(self.means) - self.means.sums_of**2 / counts
        return np.maximum(self.scatter + around, 0)

    def estimated(self) -> Statistics:
        """Return statistics whose covariance within classes has these variances.

        Its correlations are those that FedCOF estimates from class means.
        """
        rough = self.means.estimated()
        variances, diagonal = self.within.sum(axis=0), np.diag(rough.within)
        factor = np.sqrt(np.divide(variances, diagonal, out=np.zeros_like(variances),
                                   where=diagonal > 0))  # fmt: skip
        within = factor[:, None] * rough.within * factor
        np.fill_diagonal(within, variances)
        return Statistics(rough.counts, rough.sums, rough.scatter - rough.within + within)


def _squares(means: ClassMeans) -> np.ndarray:
    """Return the squares of class means by their counts, summed, (N, d)."""
    squares = np.zeros((means.classes, means.means.shape[1]))
    np.add.at(squares, means.label, means.counts[:, None] * means.means**2)
    return squares
