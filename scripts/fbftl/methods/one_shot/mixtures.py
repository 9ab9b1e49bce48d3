"""Gaussian mixtures of a class's features (FedPFT, arXiv 2402.01862): fitted by EM, sampled again.

A component is told as its weight, its mean and its variances: 2 d + 1 numbers under diagonal
covariances, d + 2 under spherical ones, which have one variance for all dimensions. One of a single
sample *is* that sample, so that variances have a floor and a component a least number of samples.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

ROUNDS = 20
"""Steps of EM."""

AT_ONCE = 2**15
"""Differences between samples and means that are worked on at once; they stay in a core's cache."""

ONE_HELD_OUT_IN = 5
"""Of so many samples of a class one is held out, to choose the number of components by."""


@dataclass(frozen=True, eq=False)
class Mixture:
    """A mixture of G normal distributions with diagonal or spherical covariances.

    weights: (G,) shares that add up to one.
    means: (G, d).
    variances: (G, d), or (G, 1) where they are spherical; none below the floor.
    """

    weights: np.ndarray
    means: np.ndarray
    variances: np.ndarray

    @classmethod
    def of_rows(cls, rows: np.ndarray, width: int) -> "Mixture":
        """Return the mixture that `rows` tells; weights that were quantised are made shares.

        Args:
            rows: (G, 2 d + 1) of diagonal, (G, d + 2) of spherical covariances.
            width: dimensions d.
        """
        weights, means, variances = np.split(rows, [1, 1 + width], axis=1)
        shares = np.maximum(weights[:, 0], 0).astype(np.float64)
        even = np.full(len(rows), 1 / len(rows))
        shares = shares / shares.sum() if shares.sum() > 0 else even
        return cls(shares, means, np.maximum(variances, 0))

    def rows(self) -> np.ndarray:
        """Return what is told of each component, (G, 2 d + 1) or (G, d + 2)."""
        return np.hstack([self.weights[:, None], self.means, self.variances])

    def draw(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Return virtual samples (count, d) float32."""
        of = rng.choice(len(self.weights), size=count, p=self.weights)
        noise = rng.standard_normal((count, self.means.shape[1]))
        return (self.means[of] + np.sqrt(self.variances[of]) * noise).astype(np.float32)

    def log_likelihood(self, samples: np.ndarray) -> float:
        """Return the mean logarithm of the density at samples (n, d)."""
        logs = self._logs(samples.astype(np.float64))
        most = logs.max(axis=1, keepdims=True)
        sums = most[:, 0] + np.log(np.exp(logs - most).sum(axis=1))
        return float(sums.mean() - self.means.shape[1] / 2 * np.log(2 * np.pi))

    def responsibilities(self, samples: np.ndarray) -> np.ndarray:
        """Return the share (n, G) that each component has in each of samples (n, d)."""
        logs = self._logs(samples)
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)

    def _logs(self, x: np.ndarray) -> np.ndarray:
        """Return log(weight x density) (n, G) of each component, a common constant left out."""
        distance = np.empty((len(x), len(self.means)))
        rows = max(1, AT_ONCE // self.means.size)
        for start in range(0, len(x), rows):
            gap = x[start : start + rows, None] - self.means
            np.square(gap, out=gap)
            np.divide(gap, self.variances, out=gap)
            gap.sum(axis=2, out=distance[start : start + rows])
        spread = np.log(np.broadcast_to(self.variances, self.means.shape)).sum(axis=1)
        return np.log(np.maximum(self.weights, 1e-300)) - (distance + spread) / 2


@dataclass(frozen=True)
class Fitting:
    """How mixtures are fitted.

    least_variance: floor of every variance.
    spherical: whether a component has one variance for all dimensions.
    """

    least_variance: float
    spherical: bool = False

    def fitted(self, samples: np.ndarray, components: int, rng: np.random.Generator) -> Mixture:
        """Return the mixture of samples (n, d) by EM, which starts at samples drawn at random.

        Args:
            samples: at least as many as components.
            components: G.
            rng: draws where EM starts.

        Raises:
            ValueError: if there are fewer samples than components.
        """
        x = samples.astype(np.float64)
        if not 1 <= components <= len(x):
            raise ValueError(f"{len(x)} samples have no mixture of {components} components")
        means = x[np.sort(rng.choice(len(x), size=components, replace=False))]
        variances = np.tile(self._bounded(x.var(axis=0)), (components, 1))
        mixture = Mixture(np.full(components, 1 / components), means, variances)
        squares = x**2
        for _ in range(ROUNDS if components > 1 else 1):
            shares = mixture.responsibilities(x)
            sizes = shares.sum(axis=0)
            kept = np.maximum(sizes, 1e-12)[:, None]
            means = np.where(sizes[:, None] > 1e-9, shares.T @ x / kept, mixture.means)
            variances = self._bounded(shares.T @ squares / kept - means**2)
            mixture = Mixture(sizes / len(x), means, variances)
        return mixture

    def chosen(
        self, samples: np.ndarray, candidates: Iterable[int], rng: np.random.Generator
    ) -> int:
        """Return the number of components under which held-out samples are likeliest.

        One sample in `ONE_HELD_OUT_IN` is held out, one at least; mixtures are fitted to the rest.

        Args:
            samples: (n, d) of a class, at least two.
            candidates: numbers of components, none above what is not held out; of equally likely
                ones the first is taken.
            rng: draws what is held out, and where EM starts.
        """
        order = rng.permutation(len(samples))
        held_out, kept = np.split(samples[order], [held_out_count(len(samples))])
        likelihoods = {
            size: self.fitted(kept, size, rng).log_likelihood(held_out) for size in candidates
        }
        return max(likelihoods, key=likelihoods.__getitem__)

    def _bounded(self, variances: np.ndarray) -> np.ndarray:
        """Return variances (..., d) as they are told: averaged where spherical, above the floor."""
        if self.spherical:
            variances = variances.mean(axis=-1, keepdims=True)
        return np.maximum(variances, self.least_variance)


def held_out_count(samples: int) -> int:
    """Return how many of a class's samples are held out to choose by."""
    return max(1, samples // ONE_HELD_OUT_IN)
