"""Sufficient statistics of features, which add up over clients, and class means with scatter.

One message (n_c, A_c, B) with A_c the sum of the samples of class c and B = Σ x xᵀ holds what ridge
regression (with Fed3R and AFL), linear discriminant analysis (GH-LDA) and FedCGS need; class means
and covariances follow from it. Everything is float64 once it is summed.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fbftl.ground.randomness import stream

ROWS_AT_ONCE = 8192
"""Rows whose products are summed in float32 before they are added up in float64."""


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Samples one by one.

    values: (n, d) float32.
    labels: (n,) int64.
    client: (n,) whose each is.
    """

    values: np.ndarray
    labels: np.ndarray
    client: np.ndarray

    @classmethod
    def joined(cls, parts: Iterable["LabelledRows"], width: int) -> "LabelledRows":
        """Return the rows of all parts, of `width` numbers each; of no parts there are none."""
        nobody = cls(np.zeros((0, width), np.float32), *np.zeros((2, 0), np.int64))
        every = [(part.values, part.labels, part.client) for part in (nobody, *parts)]
        return cls(*map(np.concatenate, zip(*every, strict=True)))

    def __add__(self, other: "LabelledRows") -> "LabelledRows":
        """Return the rows of both."""
        return LabelledRows.joined((self, other), self.values.shape[1])


@dataclass(frozen=True, eq=False)
class Statistics:
    """What is known of some samples of N classes in d dimensions.

    counts: (N,) samples of each class, n_c; real numbers under noise.
    sums: (N, d) sum of each class, A_c.
    scatter: (d, d) Σ x xᵀ, B; symmetric.
    """

    counts: np.ndarray
    sums: np.ndarray
    scatter: np.ndarray

    @classmethod
    def nothing(cls, classes: int, width: int) -> "Statistics":
        """Return what is known of no samples."""
        return cls(np.zeros(classes), np.zeros((classes, width)), np.zeros((width, width)))

    @classmethod
    def of(
        cls, values: np.ndarray, labels: np.ndarray, classes: int, rows: np.ndarray | None = None
    ) -> "Statistics":
        """Return the statistics of samples in one pass; memory beside them is O(d²).

        Args:
            values: (n, d) float32.
            labels: (n,) integers below `classes`.
            classes: number of classes N.
            rows: (m,) of those that are meant; all if None.
        """
        statistics = cls.nothing(classes, values.shape[1])
        for first in range(0, len(values if rows is None else rows), ROWS_AT_ONCE):
            part = slice(first, first + ROWS_AT_ONCE)
            at = part if rows is None else rows[part]
            chunk, chunk_labels = values[at], labels[at]
            statistics.counts[:] += np.bincount(chunk_labels, minlength=classes)
            belongs = (chunk_labels == np.arange(classes)[:, None]).astype(chunk.dtype)
            statistics.sums[:] += belongs @ chunk
            statistics.scatter[:] += chunk.T @ chunk
        return statistics

    @classmethod
    def of_numbers(cls, numbers: np.ndarray, classes: int, width: int) -> "Statistics":
        """Return the statistics that a flat message holds, see `numbers`; B may be left out."""
        counts, sums, upper = np.split(numbers.astype(np.float64), [classes, classes * (width + 1)])
        scatter = whole(upper, width) if len(upper) else np.zeros((0, 0))
        return cls(counts, sums.reshape(classes, width), scatter)

    def __add__(self, other: "Statistics") -> "Statistics":
        """Return the statistics of both sets of samples."""
        return Statistics(
            self.counts + other.counts, self.sums + other.sums, self.scatter + other.scatter
        )

    @property
    def classes(self) -> int:
        """Number of classes N."""
        return len(self.counts)

    @property
    def width(self) -> int:
        """Dimensions d."""
        return self.sums.shape[1]

    @cached_property
    def total(self) -> float:
        """Number of samples n."""
        return float(self.counts.sum())

    @cached_property
    def present(self) -> np.ndarray:
        """Which classes any sample has, (N,); under noise, which seem to have one."""
        return self.counts >= 0.5

    @cached_property
    def means(self) -> np.ndarray:
        """Mean of each class, (N, d); 0 of a class without samples."""
        return self.sums / np.where(self.present, self.counts, np.inf)[:, None]

    @cached_property
    def within(self) -> np.ndarray:
        """Scatter around the class means, (d, d): B - Σ n_c μ_c μ_cᵀ."""
        return self.scatter - self.means.T @ (self.counts[:, None] * self.means)

    @cached_property
    def around_mean(self) -> np.ndarray:
        """Scatter around the mean of all samples, (d, d): B - n μ μᵀ."""
        whole_sum = self.sums.sum(axis=0)
        return self.scatter - np.outer(whole_sum, whole_sum) / max(self.total, 1.0)

    def scatter_around(self, means: np.ndarray) -> np.ndarray:
        """Return the scatter (d, d) around other class means (N, d)."""
        crossed = self.sums.T @ means
        squared = means.T @ (self.counts[:, None] * means)
        return self.scatter - crossed - crossed.T + squared

    def with_bias(self) -> "Statistics":
        """Return the statistics of samples with a one appended: no further message is needed."""
        sums = np.hstack([self.sums, self.counts[:, None]])
        edge = self.sums.sum(axis=0)
        scatter = np.block([[self.scatter, edge[:, None]], [edge[None], np.array([[self.total]])]])
        return Statistics(self.counts, sums, scatter)

    def numbers(self) -> np.ndarray:
        """Return all of it flat: n_c, A_c row by row, then the upper triangle of B."""
        return np.concatenate([self.counts, self.sums.reshape(-1), triangle(self.scatter)])


def added(statistics: Iterable[Statistics], classes: int, width: int) -> Statistics:
    """Return the sum of some statistics, added up in place."""
    total = Statistics.nothing(classes, width)
    for part in statistics:
        total.counts[:] += part.counts
        total.sums[:] += part.sums
        total.scatter[:] += part.scatter
    return total


def length(classes: int, width: int) -> int:
    """Return how many numbers the flat message has: d(d+1)/2 + dN + N."""
    return width * (width + 1) // 2 + width * classes + classes


def triangle(matrix: np.ndarray) -> np.ndarray:
    """Return the upper triangle of a symmetric (d, d) row by row, d(d+1)/2 numbers."""
    return np.concatenate([row[index:] for index, row in enumerate(matrix)])


def whole(upper: np.ndarray, width: int) -> np.ndarray:
    """Return the symmetric (d, d) of an upper triangle."""
    matrix, first = np.empty((width, width)), 0
    for index in range(width):
        row = upper[first : first + width - index]
        matrix[index, index:] = row
        matrix[index:, index] = row
        first += width - index
    return matrix


def random_projection(width: int, dimensions: int, seed: int) -> np.ndarray:
    """Return the projection (d, k) float32 that both ends draw from a seed they share.

    Normal numbers of variance 1/k: lengths are kept on average.
    """
    normal = stream(seed, "projection").standard_normal((width, dimensions), dtype=np.float32)
    return normal / np.float32(np.sqrt(dimensions))


@dataclass(frozen=True, eq=False)
class ClassMeans:
    """Means of M pairs of a client and a class that it has samples of.

    A client that splits its samples of a class counts as several clients.

    client, label: (M,) which pair each is.
    counts: (M,) samples behind each, n_uc.
    means: (M, d), μ_uc.
    classes: number of classes N.
    """

    client: np.ndarray
    label: np.ndarray
    counts: np.ndarray
    means: np.ndarray
    classes: int

    @classmethod
    def of(
        cls, values: np.ndarray, labels: np.ndarray, client: np.ndarray, classes: int
    ) -> "ClassMeans":
        """Return the means of samples (n, d) by client (n,) and label (n,)."""
        pairs, pair, counts = np.unique(
            client.astype(np.int64) * classes + labels, return_inverse=True, return_counts=True
        )
        firsts = np.cumsum(counts) - counts
        sums = np.add.reduceat(values[np.argsort(pair)], firsts, axis=0, dtype=np.float64)
        return cls(pairs // classes, pairs % classes, counts, sums / counts[:, None], classes)

    def __add__(self, other: "ClassMeans") -> "ClassMeans":
        """Return the means of both sets of samples: one mean of a pair that is in both."""
        pairs, others = self._pairs, other._pairs
        order = np.argsort(pairs)
        both = np.isin(others, pairs)
        position = order[np.searchsorted(pairs, others[both], sorter=order)]
        counts, means = self.counts.copy(), self.means.copy()
        counts[position] += other.counts[both]
        weight = other.counts[both] / counts[position]
        means[position] += weight[:, None] * (other.means[both] - means[position])
        return ClassMeans(
            np.concatenate([self.client, other.client[~both]]),
            np.concatenate([self.label, other.label[~both]]),
            np.concatenate([counts, other.counts[~both]]),
            np.concatenate([means, other.means[~both]]),
            self.classes,
        )

    def at(self, chosen: np.ndarray) -> "ClassMeans":
        """Return the means of some pairs, given which, (M,) booleans."""
        pairs = self.client[chosen], self.label[chosen]
        return ClassMeans(*pairs, self.counts[chosen], self.means[chosen], self.classes)

    @property
    def _pairs(self) -> np.ndarray:
        """One whole number for each pair of client and class, (M,)."""
        return self.client.astype(np.int64) * self.classes + self.label

    @cached_property
    def clients_of(self) -> np.ndarray:
        """How many clients have each class, U_c (N,)."""
        return np.bincount(self.label, minlength=self.classes)

    @cached_property
    def counts_of(self) -> np.ndarray:
        """Samples of each class, n_c (N,)."""
        return np.bincount(self.label, weights=self.counts, minlength=self.classes)

    @cached_property
    def sums_of(self) -> np.ndarray:
        """Sum of each class, A_c (N, d)."""
        sums = np.zeros((self.classes, self.means.shape[1]))
        np.add.at(sums, self.label, self.counts[:, None] * self.means)
        return sums

    @cached_property
    def within(self) -> np.ndarray:
        """FedCOF's estimate (d, d) of the scatter within classes (arXiv 2412.14326, Eq. 6).

        Σ_c (n_c - 1) Σ_c with Σ_c = Σ_u n_uc (μ_uc - μ_c)(μ_uc - μ_c)ᵀ / (U_c - 1), which is
        unbiased; a class of one client has none. With one sample for every pair it is the scatter
        within classes itself.
        """
        class_means = self.sums_of / np.maximum(self.counts_of, 1)[:, None]
        several = self.clients_of > 1
        factor = np.where(several, self.counts_of - 1, 0) / np.maximum(self.clients_of - 1, 1)
        weight = np.sqrt(factor[self.label] * self.counts)
        off = weight[:, None] * (self.means - class_means[self.label])
        return off.T @ off

    @property
    def freedom(self) -> float:
        """Degrees of freedom behind `within`: n_c - 1 of every class that two clients have."""
        return float(np.where(self.clients_of > 1, self.counts_of - 1, 0).sum())

    def estimated(self) -> Statistics:
        """Return statistics whose covariance within classes is the estimated one.

        A class of one client does not weigh in. Where no class has two clients, the covariance is
        taken as isotropic, with the mean variance of the class means around the mean of all.
        """
        counts, sums = self.counts_of, self.sums_of
        means = sums / np.maximum(counts, 1)[:, None]
        between = means.T @ (counts[:, None] * means)
        freedom = max(counts.sum() - np.count_nonzero(counts), 1.0)
        if self.freedom > 0:
            within = self.within * (freedom / self.freedom)
        else:
            mean = sums.sum(axis=0) / max(counts.sum(), 1.0)
            variance = (np.trace(between) / max(counts.sum(), 1.0) - mean @ mean) / len(mean)
            within = freedom * max(variance, 0.0) * np.eye(len(mean))
        return Statistics(counts, sums, within + between)


@dataclass(frozen=True, eq=False)
class SplitMeans:
    """Class means of clients that hold out some of their samples.

    kept: of the samples that heads are solved from.
    held_out: of the others; a client and class may be in both.
    """

    kept: ClassMeans
    held_out: ClassMeans


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
