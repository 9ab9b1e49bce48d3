"""Heads in closed form, solved in float64 from what one message per client adds up to.

All of them are linear: a score w_c · x + b_c for every class.

- *ridge*: ridge regression with a bias, λ chosen. *Fed3R* (arXiv 2406.01116) divides weights and
  bias of each class by the length of its weights; *AFL* (2405.16240) has no bias and removes γ,
  which leaves least squares.
- *lda*: linear discriminant analysis, one of the heads of GH-OFL (2602.01186); its FisherMix and
  Proto-Hyper are in `gh_ofl`. *FedCGS* (2503.06962) takes the covariance of all samples and
  no shrinkage.
- *FedCOF* (2412.14326): ridge regression with the Gram matrix that class means give an estimate of,
  each class's weights of unit length (Sec. 4.3).
- *ncm*: nearest class mean by the Euclidean distance. *FedNCM* scores by the class means scaled to
  unit length, without a bias.

Regularisation is chosen on held-out samples, and the head is then solved again from all of them.

A matrix that is not positive definite is solved on the subspace where it is: directions in which
it is zero, or negative after quantisation or noise, are left out, and how much of it was negative
is reported. A class that no sample has is never predicted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

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

    def right(self, values: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """Return whether the greatest score of each sample (n, d) is that of its label, (n,)."""
        return self.scores(values).argmax(axis=1) == labels

    def accuracy(self, values: np.ndarray, labels: np.ndarray) -> float:
        """Return the share of samples (n, d) whose greatest score is that of their label (n,)."""
        return float(self.right(values, labels).mean())

    def after(self, projection: np.ndarray) -> "LinearHead":
        """Return the head on samples (d,) of one that works on their projections by (d, k)."""
        return LinearHead(self.weights @ projection.T, self.bias)


@dataclass(frozen=True, eq=False)
class Solved:
    """A head and how it was found.

    regularisation: ratio of λ to the mean eigenvalue, or shrinkage; None where there is none.
    negative: share of the matrix's spectrum that was negative, and was left out.
    """

    head: LinearHead
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


def ridge(
    statistics: Statistics, ratios: Sequence[float], held_out: Statistics | None = None
) -> Solved:
    """Return W = (B + λI)⁻¹ A with a bias column, which follows from A and the counts.

    Args:
        statistics: of the training samples.
        ratios: candidates of λ, as ratios of the mean eigenvalue of B; the first is taken where
            there is nothing to choose by.
        held_out: of held-out samples, whose squared error Σ ‖Wᵀx - y‖² follows from them exactly.
            The head is solved from both once λ is chosen.
    """
    whole, ratio = _chosen_ridge(
        statistics.with_bias(), ratios, None if held_out is None else held_out.with_bias()
    )
    weights, negative = _ridge(whole, ratio)
    head = LinearHead(weights[:-1].T, weights[-1].copy())
    return Solved(_without_absent(head, whole.present), ratio, negative)


def fed3r(
    statistics: Statistics, ratios: Sequence[float], held_out: Statistics | None = None
) -> Solved:
    """Return Fed3R's head: that of `ridge`, weights and bias of each class over ‖w_c‖.

    Args:
        statistics: of the training samples.
        ratios: as `ridge` has them.
        held_out: as `ridge` has them; the squared error is that of the weights before scaling.
    """
    solved = ridge(statistics, ratios, held_out)
    lengths = _lengths(solved.head.weights)
    head = LinearHead(solved.head.weights / lengths, solved.head.bias / lengths[:, 0])
    return replace(solved, head=head)


def afl(statistics: Statistics) -> Solved:
    """Return AFL's head after γ is removed: least squares B⁺ A without a bias."""
    weights, negative = _ridge(statistics, 0.0)
    head = LinearHead(weights.T, np.zeros(statistics.classes))
    return Solved(_without_absent(head, statistics.present), None, negative)


def lda(
    statistics: Statistics, shrinkages: Sequence[float], held_out: Statistics | None = None
) -> Solved:
    """Return linear discriminant analysis with Σ shrunk by a to tr(Σ)/d · I.

    Args:
        statistics: of the training samples; Σ is their scatter within classes over n - N.
        shrinkages: candidates of a; the first is taken where there is nothing to choose by.
        held_out: of held-out samples, whose likelihood under the class normals follows from them.
            The head is solved from both once a is chosen.
    """
    chosen = shrinkages[0]
    if held_out is not None and len(shrinkages) > 1:
        sigma = _covariance(statistics)
        spectrum = Spectrum.of(sigma)
        around = held_out.scatter_around(statistics.means)
        spread = (spectrum.vectors * (around @ spectrum.vectors)).sum(axis=0)
        scale = _mean_eigenvalue(sigma)
        losses = [_unlikely(spectrum, a, scale, spread, held_out.total) for a in shrinkages]
        chosen = shrinkages[int(np.argmin(losses))]
    whole = statistics if held_out is None else statistics + held_out
    sigma = _covariance(whole)
    directions, negative = _solved(
        (1 - chosen) * sigma, chosen * _mean_eigenvalue(sigma), whole.means.T
    )
    return Solved(_discriminants(whole, directions.T), chosen, negative)


def fedcof_oracle(
    statistics: Statistics, ratios: Sequence[float], held_out: Statistics | None = None
) -> Solved:
    """Return the head of `fedcof` on the scatter within classes itself: the oracle of its paper.

    Args:
        statistics: of the training samples.
        ratios: as `fedcof` has them.
        held_out: as `ridge` has them.
    """

    def solved_with(of: Statistics) -> tuple[np.ndarray, float]:
        return _within_and_mean(of.within, of.sums, of.total), _mean_eigenvalue(of.within)

    whole, ratio = _chosen_ridge(statistics, ratios, held_out, solved_with)
    matrix, scale = solved_with(whole)
    weights, negative = _solved(matrix, ratio * scale, whole.sums.T)
    return Solved(_without_absent(_unit_head(weights.T), whole.present), ratio, negative)


def _scatter(statistics: Statistics) -> tuple[np.ndarray, float]:
    return statistics.scatter, _mean_eigenvalue(statistics.scatter)


def _chosen_ridge(
    statistics: Statistics,
    ratios: Sequence[float],
    held_out: Statistics | None,
    solved_with: Callable[[Statistics], tuple[np.ndarray, float]] = _scatter,
) -> tuple[Statistics, float]:
    """Return the statistics of all samples, and the ratio with the least held-out error.

    Args:
        statistics: of the training samples.
        ratios: candidates.
        held_out: of held-out samples.
        solved_with: gives the matrix (d, d) that is solved with, and what ratios are ratios of.
    """
    if held_out is None:
        return statistics, ratios[0]
    if len(ratios) == 1:
        return statistics + held_out, ratios[0]
    matrix, scale = solved_with(statistics)
    spectrum = Spectrum.of(matrix)
    to_basis = spectrum.vectors.T
    right, other = to_basis @ statistics.sums.T, to_basis @ held_out.sums.T
    middle = to_basis @ (to_basis @ held_out.scatter).T
    errors = []
    for candidate in ratios:
        part = spectrum.inverse(1.0, candidate * scale)[:, None] * right
        errors.append(float((part * (middle @ part)).sum() - 2 * (part * other).sum()))
    return statistics + held_out, ratios[int(np.argmin(errors))]


def _ridge(statistics: Statistics, ratio: float) -> tuple[np.ndarray, float]:
    """Return (B + λI)⁻¹ A (d, N), and the share of B's spectrum that was negative."""
    matrix, scale = _scatter(statistics)
    return _solved(matrix, ratio * scale, statistics.sums.T)


def _covariance(statistics: Statistics) -> np.ndarray:
    """Return the covariance (d, d) within classes, over n - N."""
    return statistics.within / max(statistics.total - statistics.present.sum(), 1.0)


def _mean_eigenvalue(matrix: np.ndarray) -> float:
    return max(float(np.trace(matrix)), 0.0) / len(matrix)


def fedcgs(statistics: Statistics) -> Solved:
    """Return FedCGS's discriminants: the covariance of all samples in the place of the classes'."""
    sigma = statistics.around_mean / max(statistics.total - 1, 1.0)
    directions, negative = _solved(sigma, 0.0, statistics.means.T)
    return Solved(_discriminants(statistics, directions.T), None, negative)


def ncm(counts: np.ndarray, sums: np.ndarray) -> Solved:
    """Return the nearest class mean: 2 μ_c · x - ‖μ_c‖², from counts (N,) and sums (N, d)."""
    present = counts >= 0.5
    means = sums / np.where(present, counts, np.inf)[:, None]
    head = LinearHead(2 * means, -(means**2).sum(axis=1))
    return Solved(_without_absent(head, present))


def fedncm(counts: np.ndarray, sums: np.ndarray) -> Solved:
    """Return FedNCM's head, as both public codes have it: class means of unit length, no bias."""
    return Solved(_without_absent(_unit_head(sums), counts >= 0.5))


def fedcof(class_means: ClassMeans, ratio: float) -> Solved:
    """Return FedCOF's head (arXiv 2412.14326): G⁻¹ A, the weights of each class of unit length.

    G = Σ_c (n_c - 1)(Σ_c + γI) + n μ μᵀ, with the estimated covariance Σ_c of class c and the mean
    μ of all samples. There is no bias, and no part between classes. The estimate needs two means
    of some class; without them the directions are those of the class means.

    Args:
        class_means: class means of every client.
        ratio: γ Σ_c (n_c - 1) over the mean eigenvalue of Σ_c (n_c - 1) Σ_c.
    """
    nothing = np.zeros_like(class_means.within)
    added = _within_and_mean(nothing, class_means.sums_of, float(class_means.counts_of.sum()))
    return _of_means(class_means, ratio, added)


def fedcof_between(class_means: ClassMeans, ratio: float) -> Solved:
    """Return FedCOF's head with the scatter between classes, which the paper leaves out (Table 2).

    Σ_c n_c μ_c μ_cᵀ takes the place of n μ μᵀ, so that the weights before they are scaled are
    ridge regression on what class means tell of all second moments.
    """
    means = class_means.sums_of / np.maximum(class_means.counts_of, 1)[:, None]
    return _of_means(class_means, ratio, class_means.sums_of.T @ means)


def _of_means(class_means: ClassMeans, ratio: float, added: np.ndarray) -> Solved:
    """Return the head where a matrix (d, d) is added to the estimated scatter within classes."""
    weights, negative = class_means.sums_of, 0.0
    if class_means.freedom > 0:
        scale = _mean_eigenvalue(class_means.within)
        solution, negative = _solved(class_means.within + added, ratio * scale, weights.T)
        weights = solution.T
    return Solved(_without_absent(_unit_head(weights), class_means.counts_of > 0), ratio, negative)


def _within_and_mean(within: np.ndarray, sums: np.ndarray, samples: float) -> np.ndarray:
    """Return the scatter within classes plus n μ μᵀ, (d, d), from the classes' sums (N, d)."""
    of_all = sums.sum(axis=0)
    return within + np.outer(of_all, of_all) / max(samples, 1.0)


def _unit_head(weights: np.ndarray) -> LinearHead:
    """Return a head without bias whose weights (N, d) are scaled to unit length by class."""
    return LinearHead(weights / _lengths(weights), np.zeros(len(weights)))


def _lengths(weights: np.ndarray) -> np.ndarray:
    """Return the length of every class's weights, (N, 1); 1 in the place of zero."""
    lengths = np.linalg.norm(weights, axis=1, keepdims=True)
    return np.where(lengths > 0, lengths, 1)


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
    return spectrum.vectors @ (inverse * (spectrum.vectors.T @ right)), spectrum.negative


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


def _discriminants(statistics: Statistics, directions: np.ndarray) -> LinearHead:
    """Return w_c = Σ⁻¹ μ_c (N, d) with b_c = -½ μ_c · w_c + ln(n_c / n)."""
    shares = np.maximum(statistics.counts, 0.5) / max(statistics.total, 1.0)
    bias = np.log(shares) - (statistics.means * directions).sum(axis=1) / 2
    return _without_absent(LinearHead(directions, bias), statistics.present)


def _without_absent(head: LinearHead, present: np.ndarray) -> LinearHead:
    return LinearHead(head.weights, np.where(present, head.bias, -np.inf))
