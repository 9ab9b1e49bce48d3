"""Heads of one Gaussian a class, whose scores are quadratic: naive Bayes and QDA (GH-OFL).

Covariances of single classes are shrunk by a share a: naive Bayes takes a of the mean variance of
all dimensions, and QDA a of the covariance of all classes, then a of its mean eigenvalue, as
regularised discriminant analysis does (Friedman, 1989) with one number for both.
"""

from dataclasses import dataclass

import numpy as np

from fbftl.messages.moments import Moments
from fbftl.messages.statistics import LabelledRows, Statistics
from fbftl.training.closed_form import LinearHead, Solved


@dataclass(frozen=True, eq=False)
class SquaresHead(LinearHead):
    """Scores w_c · (x, x²) + b_c of N classes: `weights` are (N, 2 d)."""

    def scores(self, values: np.ndarray) -> np.ndarray:
        """Return the scores (n, N) of samples (n, d)."""
        values = values.astype(np.float64)
        return super().scores(np.hstack([values, values**2]))


@dataclass(frozen=True, eq=False)
class QuadraticHead(LinearHead):
    """Scores b_c - ½ ‖W_c (x - μ_c)‖² of N classes: `weights` are (N, d, d).

    means: (N, d).
    """

    means: np.ndarray

    def scores(self, values: np.ndarray) -> np.ndarray:
        """Return the scores (n, N) of samples (n, d)."""
        distances = [
            np.square((values - mean) @ weights.T).sum(axis=1)
            for mean, weights in zip(self.means, self.weights, strict=True)
        ]
        return self.bias - np.array(distances).T / 2


def naive_bayes(moments: Moments, shrinkage: float) -> Solved:
    """Return the head of class means and variances, dimensions taken as independent."""
    counts = moments.means.counts_of
    means = moments.means.sums_of / np.maximum(counts, 1)[:, None]
    variances = moments.within / np.maximum(counts - 1, 1)[:, None]
    pooled = moments.within.sum(axis=0) / max(counts.sum() - len(counts), 1)
    # One sample, or several alike, have no variance of their own.
    variances = (1 - shrinkage) * variances + shrinkage * pooled.mean() + 1e-12
    bias = _log_shares(counts) - (np.log(variances) + means**2 / variances).sum(axis=1) / 2
    weights = np.hstack([means / variances, -0.5 / variances])
    return Solved(SquaresHead(weights, bias), shrinkage)


def qda(rows: LabelledRows, classes: int, shrinkage: float) -> Solved:
    """Return quadratic discriminant analysis of samples."""
    from scipy.linalg import solve_triangular

    pooled = Statistics.of(rows.values, rows.labels, classes)
    width, shares = pooled.width, _log_shares(pooled.counts)
    within = pooled.within / max(pooled.total - pooled.present.sum(), 1)
    weights, bias = np.zeros((classes, width, width)), np.full(classes, -np.inf)
    for label in np.flatnonzero(pooled.present):
        values = rows.values[rows.labels == label]
        of_class = Statistics.of(values, np.zeros(len(values), np.int64), 1)
        sigma = (1 - shrinkage) * of_class.within / max(of_class.total - 1, 1) + shrinkage * within
        scale = max(float(np.trace(sigma)) / width, 1e-12)
        sigma = (1 - shrinkage) * sigma + max(shrinkage, 1e-6) * scale * np.eye(width)
        factor = np.linalg.cholesky(sigma)
        weights[label] = solve_triangular(factor, np.eye(width), lower=True)
        bias[label] = shares[label] - np.log(np.diag(factor)).sum()
    return Solved(QuadraticHead(weights, bias, pooled.means), shrinkage)


def _log_shares(counts: np.ndarray) -> np.ndarray:
    """Return ln(n_c / n) of each class, minus infinity of one without samples."""
    with np.errstate(divide="ignore"):
        return np.log(counts / max(float(counts.sum()), 1.0))
