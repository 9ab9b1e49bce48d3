"""Gaussian mixtures of a class's features (FedPFT, arXiv 2402.01862): fitted by EM, sampled again.

A component is told as its weight, its mean and its variances: 2 d + 1 numbers. One of a single
sample *is* that sample, so that variances have a floor and a component a least number of samples.
"""

from dataclasses import dataclass

import numpy as np

ROUNDS = 20
"""Steps of EM."""


@dataclass(frozen=True, eq=False)
class Mixture:
    """A mixture of G normal distributions with diagonal covariances.

    weights: (G,) shares that add up to one.
    means: (G, d).
    variances: (G, d), none below the floor.
    """

    weights: np.ndarray
    means: np.ndarray
    variances: np.ndarray

    @classmethod
    def of_rows(cls, rows: np.ndarray) -> "Mixture":
        """Return the mixture that `rows` tells; weights that were quantised are made shares."""
        weights, means, variances = np.split(rows, [1, 1 + rows.shape[1] // 2], axis=1)
        shares = np.maximum(weights[:, 0], 0).astype(np.float64)
        even = np.full(len(rows), 1 / len(rows))
        shares = shares / shares.sum() if shares.sum() > 0 else even
        return cls(shares, means, np.maximum(variances, 0))

    def rows(self) -> np.ndarray:
        """Return what is told of each component, (G, 2 d + 1)."""
        return np.hstack([self.weights[:, None], self.means, self.variances])

    def draw(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Return virtual samples (count, d) float32."""
        of = rng.choice(len(self.weights), size=count, p=self.weights)
        noise = rng.standard_normal((count, self.means.shape[1]))
        return (self.means[of] + np.sqrt(self.variances[of]) * noise).astype(np.float32)


def fitted(
    samples: np.ndarray, components: int, least_variance: float, rng: np.random.Generator
) -> Mixture:
    """Return the mixture of samples (n, d) by EM, begun at samples drawn at random.

    Args:
        samples: at least as many as components.
        components: G.
        least_variance: floor of every variance.
        rng: draws the beginning.

    Raises:
        ValueError: if there are fewer samples than components.
    """
    x = samples.astype(np.float64)
    if not 1 <= components <= len(x):
        raise ValueError(f"{len(x)} samples have no mixture of {components} components")
    means = x[np.sort(rng.choice(len(x), size=components, replace=False))]
    variances = np.tile(np.maximum(x.var(axis=0), least_variance), (components, 1))
    weights = np.full(components, 1 / components)
    for _ in range(ROUNDS if components > 1 else 1):
        shares = _responsibilities(x, weights, means, variances)
        sizes = shares.sum(axis=0)
        weights, kept = sizes / len(x), np.maximum(sizes, 1e-12)[:, None]
        means = np.where(sizes[:, None] > 1e-9, shares.T @ x / kept, means)
        squares = shares.T @ x**2 / kept - means**2
        variances = np.maximum(squares, least_variance)
    return Mixture(weights, means, variances)


def _responsibilities(
    x: np.ndarray, weights: np.ndarray, means: np.ndarray, variances: np.ndarray
) -> np.ndarray:
    """Return the share (n, G) that each component has in each sample."""
    distance = ((x[:, None] - means) ** 2 / variances).sum(axis=2)
    logs = np.log(np.maximum(weights, 1e-300)) - (distance + np.log(variances).sum(axis=1)) / 2
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)
