"""Heads in closed form, solved in float64 from what one message per client adds up to.

All of them are linear: a score w_c · x + b_c for every class. Ridge regression is that of Fed3R
(arXiv 2406.01116) and AFL (2405.16240), linear discriminant analysis that of GH-OFL (2602.01186);
FedCGS (2503.06962) takes the covariance of all samples and no shrinkage, FedCOF (2412.14326) the
one that class means alone tell, FedNCM the nearest class mean.

A matrix that is not positive definite is solved on the subspace where it is: directions in which
it is zero, or negative after quantisation or noise, are left out, and how much of it was negative
is told. A class that no sample has is never predicted.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fbftl.messages.statistics import ClassMeans, Statistics

SMALLEST = 1e-12
"""Eigenvalues below this share of the largest count as zero."""


@dataclass(frozen=True, eq=False)
class LinearHead:
    """Scores w_c · x + b_c of N classes.

    weights: (N, d).
    bias: (N,), minus infinity of a class that is never predicted.
    """

    weights: np.ndarray
    bias: np.ndarray

    def scores(self, values: np.ndarray) -> np.ndarray:
        """Return the scores (n, N) of samples (n, d)."""
        return values @ self.weights.T + self.bias

    def accuracy(self, values: np.ndarray, labels: np.ndarray) -> float:
        """Return the share of samples (n, d) whose greatest score is that of their label (n,)."""
        return float((self.scores(values).argmax(axis=1) == labels).mean())

    def after(self, projection: np.ndarray) -> "LinearHead":
        """Return the head on samples (d,) of one that works on their projections by (d, k)."""
        return LinearHead(self.weights @ projection.T, self.bias)


@dataclass(frozen=True, eq=False)
class Solved:
    """A head and how it was found.

    head: None where it is trained instead.
    regularisation: ratio of λ to the mean eigenvalue, or shrinkage; None where there is none.
    negative: share of the matrix's spectrum that was negative, and was left out.
    """

    head: LinearHead | None
    regularisation: float | None = None
    negative: float = 0.0


@dataclass(frozen=True, eq=False)
class Spectrum:
    """One factorisation of a symmetric matrix, for any number of regularised solutions.

    values: (d,) eigenvalues, none negative.
    vectors: (d, d) eigenvectors as columns.
    negative: share of the spectrum that was.
    """

    values: np.ndarray
    vectors: np.ndarray
    negative: float

    @classmethod
    def of(cls, matrix: np.ndarray) -> "Spectrum":
        """Factorise a matrix."""
        from scipy.linalg import eigh

        values, vectors = eigh(matrix, check_finite=False)
        size = float(np.abs(values).sum())
        lost = float(np.abs(values[values < -SMALLEST * size]).sum()) if size else 0.0
        return cls(np.maximum(values, 0), vectors, lost / size if size else 0.0)

    def inverse(self, scale: float, added: float) -> np.ndarray:
        """Return the eigenvalues (d,) of (scale M + added I)⁻¹, 0 where there is none."""
        shifted = scale * self.values + added
        seen = shifted > SMALLEST * max(float(shifted.max(initial=0.0)), 1e-300)
        return np.divide(1.0, shifted, out=np.zeros_like(shifted), where=seen)

    def rotated(self, matrix: np.ndarray) -> np.ndarray:
        """Return Qᵀ M of a matrix (d, m)."""
        return self.vectors.T @ matrix


def ridge(known: Statistics, ratios: Sequence[float], held: Statistics | None = None) -> Solved:
    """Return W = (B + λI)⁻¹ A with a bias column, which follows from A and the counts.

    Args:
        known: of the training samples.
        ratios: candidates of λ, as ratios of the mean eigenvalue of B; the first is taken where
            there is nothing to choose by.
        held: of held-out samples, whose squared error Σ ‖Wᵀx - y‖² follows from them exactly.
    """
    own = known.with_bias()
    scale = float(np.trace(own.scatter)) / own.width
    if held is None or len(ratios) == 1:
        ratio, negative = ratios[0], 0.0
        weights, negative = _solved(own.scatter, ratio * scale, own.sums.T)
    else:
        spectrum, judge = Spectrum.of(own.scatter), held.with_bias()
        right, other = spectrum.rotated(own.sums.T), spectrum.rotated(judge.sums.T)
        middle = spectrum.rotated(spectrum.rotated(judge.scatter).T)
        errors = []
        for candidate in ratios:
            part = spectrum.inverse(1.0, candidate * scale)[:, None] * right
            errors.append(float((part * (middle @ part)).sum() - 2 * (part * other).sum()))
        ratio, negative = ratios[int(np.argmin(errors))], spectrum.negative
        weights = spectrum.vectors @ (spectrum.inverse(1.0, ratio * scale)[:, None] * right)
    head = LinearHead(weights[:-1].T, weights[-1].copy())
    return Solved(_without_absent(head, known.present), ratio, negative)


def lda(known: Statistics, shrinkages: Sequence[float], held: Statistics | None = None) -> Solved:
    """Return linear discriminant analysis with Σ shrunk by a to tr(Σ)/d · I.

    Args:
        known: of the training samples; Σ is their scatter within classes over n - N.
        shrinkages: candidates of a; the first is taken where there is nothing to choose by.
        held: of held-out samples, whose likelihood under the class normals follows from them.
    """
    freedom = max(known.total - known.present.sum(), 1.0)
    sigma = known.within / freedom
    scale = max(float(np.trace(sigma)), 0.0) / known.width
    if held is None or len(shrinkages) == 1:
        chosen = shrinkages[0]
        shrunk = (1 - chosen) * sigma
        directions, negative = _solved(shrunk, chosen * scale, known.means.T)
    else:
        spectrum = Spectrum.of(sigma)
        around = held.scatter_around(known.means)
        spread = (spectrum.vectors * (around @ spectrum.vectors)).sum(axis=0)
        losses = [_unlikely(spectrum, a, scale, spread, held.total) for a in shrinkages]
        chosen, negative = shrinkages[int(np.argmin(losses))], spectrum.negative
        inverse = spectrum.inverse(1 - chosen, chosen * scale)
        directions = spectrum.vectors @ (inverse[:, None] * spectrum.rotated(known.means.T))
    return Solved(_discriminants(known, directions.T), chosen, negative)


def fedcgs(known: Statistics) -> Solved:
    """Return FedCGS's discriminants: the covariance of all samples in the place of the classes'."""
    sigma = known.around_mean / max(known.total - 1, 1.0)
    directions, negative = _solved(sigma, 0.0, known.means.T)
    return Solved(_discriminants(known, directions.T), None, negative)


def ncm(counts: np.ndarray, sums: np.ndarray) -> Solved:
    """Return the nearest class mean: 2 μ_c · x - ‖μ_c‖², from counts (N,) and sums (N, d)."""
    present = counts >= 0.5
    means = sums / np.where(present, counts, np.inf)[:, None]
    head = LinearHead(2 * means, -(means**2).sum(axis=1))
    return Solved(_without_absent(head, present))


def fedcof(known: ClassMeans, shrinkage: float) -> Solved:
    """Return FedCOF's head: the directions G⁻¹ A_c of unit length, G the estimated scatter.

    The estimate needs two clients of some class; without them G is the identity, and the directions
    are those of the class means.

    Args:
        known: class means of every client.
        shrinkage: share of G that is replaced by the mean eigenvalue.
    """
    estimated = known.clients_of.max(initial=0) > 1
    scatter = known.within if estimated else np.eye(known.means.shape[1])
    added = shrinkage * float(np.trace(scatter)) / len(scatter)
    directions, negative = _solved((1 - shrinkage) * scatter, added, known.sums_of.T)
    lengths = np.linalg.norm(directions, axis=0)
    weights = (directions / np.where(lengths > 0, lengths, 1)).T
    head = LinearHead(weights, np.zeros(known.classes))
    return Solved(_without_absent(head, known.counts_of > 0), shrinkage, negative)


def _solved(matrix: np.ndarray, added: float, right: np.ndarray) -> tuple[np.ndarray, float]:
    """Return (M + added I)⁻¹ R, by Cholesky where M + added I is positive definite for sure.

    Returns:
        The solution (d, m), and the share of M's spectrum that was negative.
    """
    from scipy.linalg import cho_factor, cho_solve

    shifted = matrix.copy()
    shifted[np.diag_indices_from(shifted)] += added
    try:
        factor = cho_factor(shifted, lower=True, overwrite_a=True, check_finite=False)
        diagonal = np.diag(factor[0]) ** 2
        if diagonal.min() > SMALLEST * diagonal.max():
            return cho_solve(factor, right, check_finite=False), 0.0
    except np.linalg.LinAlgError:
        pass
    spectrum = Spectrum.of(matrix)
    inverse = spectrum.inverse(1.0, added)[:, None]
    return spectrum.vectors @ (inverse * spectrum.rotated(right)), spectrum.negative


def _unlikely(
    spectrum: Spectrum, shrinkage: float, scale: float, spread: np.ndarray, samples: float
) -> float:
    """Return minus twice the held-out log-likelihood, up to a constant; infinite if singular.

    Args:
        spectrum: of Σ.
        shrinkage: a.
        scale: tr(Σ)/d.
        spread: (d,) diagonal of the held-out scatter in the basis of the spectrum.
        samples: how many were held out.
    """
    variances = (1 - shrinkage) * spectrum.values + shrinkage * scale
    if variances.min() <= SMALLEST * variances.max():
        return np.inf
    return float(samples * np.log(variances).sum() + (spread / variances).sum())


def _discriminants(known: Statistics, directions: np.ndarray) -> LinearHead:
    """Return w_c = Σ⁻¹ μ_c (N, d) with b_c = -½ μ_c · w_c + ln(n_c / n)."""
    shares = np.maximum(known.counts, 0.5) / max(known.total, 1.0)
    bias = np.log(shares) - (known.means * directions).sum(axis=1) / 2
    return _without_absent(LinearHead(directions, bias), known.present)


def _without_absent(head: LinearHead, present: np.ndarray) -> LinearHead:
    return LinearHead(head.weights, np.where(present, head.bias, -np.inf))
