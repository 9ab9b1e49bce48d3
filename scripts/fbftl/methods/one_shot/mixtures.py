"""Gaussian mixtures of a class's features (FedPFT, arXiv 2402.01862): fitted, and sampled again.

A component is told as its weight, its mean and its variances: 2 d + 1 numbers under diagonal
covariances, d + 2 under spherical ones, which have one variance for all dimensions. One of a single
sample *is* that sample, so that variances have a floor and a component a least number of samples.
"""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

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
        from scipy.special import logsumexp

        x = samples.astype(np.float64)
        spread = np.log(2 * np.pi * np.broadcast_to(self.variances, self.means.shape)).sum(axis=1)
        distance = [
            ((x - mean) ** 2 / variance).sum(axis=1)
            for mean, variance in zip(self.means, self.variances, strict=True)
        ]
        logs = -(np.array(distance) + spread[:, None]) / 2
        return float(logsumexp(logs, axis=0, b=self.weights[:, None]).mean())


@dataclass(frozen=True)
class Fitting:
    """How mixtures are fitted.

    least_variance: floor of every variance.
    spherical: whether a component has one variance for all dimensions.
    """

    least_variance: float
    spherical: bool = False

    def fitted(self, samples: np.ndarray, components: int, rng: np.random.Generator) -> Mixture:
        """Return the mixture of samples (n, d) by scikit-learn's EM, which k-means begins.

        Args:
            samples: at least as many as components.
            components: G.
            rng: draws where k-means++ begins.

        Raises:
            ValueError: if there are fewer samples than components.
        """
        x = samples.astype(np.float64)
        if not 1 <= components <= len(x):
            raise ValueError(f"{len(x)} samples have no mixture of {components} components")
        if components == 1:
            return Mixture(np.ones(1), x.mean(axis=0)[None], self._bounded(x.var(axis=0))[None])
        # Slow to import, and sums over threads in whatever order: one thread makes equal bytes.
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.mixture import GaussianMixture
        from threadpoolctl import threadpool_limits

        model = GaussianMixture(
            components,
            covariance_type="spherical" if self.spherical else "diag",
            reg_covar=self.least_variance,
            random_state=int(rng.integers(2**31)),
        )
        with threadpool_limits(1, "openmp"), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(x)
        # What EM adds to every variance is a floor here.
        variances = model.covariances_.reshape(components, -1) - self.least_variance
        return Mixture(model.weights_, model.means_, np.maximum(variances, self.least_variance))

    def chosen(
        self, samples: np.ndarray, candidates: Iterable[int], rng: np.random.Generator
    ) -> int:
        """Return the number of components under which held-out samples are likeliest.

        One sample in `ONE_HELD_OUT_IN` is held out, one at least; mixtures are fitted to the rest.

        Args:
            samples: (n, d) of a class, at least two.
            candidates: numbers of components, none above what is not held out; of equally likely
                ones the first is taken.
            rng: draws what is held out, and where k-means++ begins.
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
