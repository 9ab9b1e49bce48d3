"""GH-OFL's heads but LDA (arXiv 2602.01186): one Gaussian a class, and heads trained on samples.

*Naive Bayes* and *QDA* score by one Gaussian a class. Covariances of single classes are shrunk by a
share a: naive Bayes takes a of the mean variance of all dimensions, and QDA a of the covariance of
all classes, then a of its mean eigenvalue, as regularised discriminant analysis does (Friedman,
1989) with one number for both.

The others are fitted to samples that the server draws itself. It whitens features by the covariance
within classes, keeps the directions V (d, k) in which class means differ most, and draws samples of
each class around its mean there. *FisherMix* is a linear classifier of these samples. *Proto-Hyper*
adds a linear correction of low rank to the scores of one spherical Gaussian a class, and learns it
from labels and from a blend of these scores and those of linear discriminant analysis. Both are
linear in features, since z z is common to all classes.

Constants are those of the public code for CIFAR-10 (`configs/cifar10.yaml`), whose FisherMix has no
cosine margin either. FisherMix is fitted to its minimum here, since the code's 40 epochs of AdamW
end before it, the earlier the fewer classes there are. The covariance of single classes, which the
code can draw with, is not sent: all classes share one.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from fbftl.ground.randomness import stream, torch_seed
from fbftl.messages.statistics import LabelledRows, Moments, Statistics
from fbftl.training.closed_form import LinearHead, Solved, Spectrum
from fbftl.training.logistic import logistic

SHRINKAGE = 0.05
"""Of the covariance within classes."""

ENERGY, MOST_DIRECTIONS = 0.995, 16
"""Share of the variance of class means that the subspace holds, and its largest dimension."""

DRAWN, SPREAD = 4000, 0.9
"""Samples of a class, and their standard deviation over the estimated one."""

PENALTY = 0.0003
"""Of FisherMix."""

SMALLEST = 1e-6
"""Added to the variances in the subspace."""

RANK, EPOCHS, BATCH, RATE, DECAY = 16, 40, 1024, 0.001, 0.0005
"""Of Proto-Hyper's correction, and of AdamW, which fits it."""

DISTILLED, TEMPERATURE, DISCRIMINANT = 0.4, 4.0, 0.7
"""Share of the distillation in Proto-Hyper's loss, its temperature, and the share of linear
discriminant analysis in what is distilled."""


@dataclass(frozen=True, eq=False)
class FisherSpace:
    """The subspace with what is known of the classes in it.

    directions: V, (d, k).
    means: (N, k) of the classes.
    covariance: (k, k) within classes.
    log_shares: (N,) logarithms of the classes' shares of all samples.
    present: (N,) which classes have samples.
    """

    directions: np.ndarray
    means: np.ndarray
    covariance: np.ndarray
    log_shares: np.ndarray
    present: np.ndarray

    @classmethod
    def of(cls, statistics: Statistics) -> "FisherSpace":
        """Return the subspace of statistics of features."""
        counts = np.where(statistics.present, statistics.counts, 0.0)
        shares = counts / max(float(counts.sum()), 1.0)
        around = np.sqrt(shares)[:, None] * (statistics.means - shares @ statistics.means)
        within = statistics.within / max(statistics.total - statistics.present.sum(), 1.0)
        scale = max(float(np.trace(within)) / len(within), 1e-12)
        within = (1 - SHRINKAGE) * within + SHRINKAGE * scale * np.eye(len(within))
        spectrum = Spectrum.of(within)
        whitening = (spectrum.vectors * np.sqrt(spectrum.inverse(1.0, 0.0))) @ spectrum.vectors.T
        between = Spectrum.of(whitening @ around.T @ around @ whitening)
        falling = between.values[::-1]
        held = np.cumsum(falling) / max(falling.sum(), 1e-300)
        most = min(MOST_DIRECTIONS, len(within))
        kept = min(max(2, int(np.argmax(held >= ENERGY)) + 1), most)
        directions = whitening @ between.vectors[:, ::-1][:, :kept]
        # Noise on the statistics can make eigenvalues negative: what is left of them is nothing.
        inside = directions.T @ spectrum.vectors
        covariance = (inside * spectrum.values) @ inside.T + SMALLEST * np.eye(kept)
        with np.errstate(divide="ignore"):
            log_shares = np.log(shares)
        return cls(
            directions, statistics.means @ directions, covariance, log_shares, statistics.present
        )

    def drawn(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Return samples (n, k) of the classes that there are, and their labels (n,)."""
        classes = np.flatnonzero(self.present)
        factor = SPREAD * np.linalg.cholesky(self.covariance)
        shape = (len(classes), DRAWN, len(factor))
        noise = stream(seed, "fisher").standard_normal(shape) @ factor.T
        values = (self.means[classes, None] + noise).reshape(-1, len(factor))
        return values.astype(np.float32), classes.repeat(DRAWN)

    def discriminants(self) -> LinearHead:
        """Return linear discriminant analysis in the subspace."""
        weights = np.linalg.solve(self.covariance, self.means.T).T
        return LinearHead(weights, self.log_shares - (self.means * weights).sum(axis=1) / 2)

    def spherical(self) -> LinearHead:
        """Return the scores of one spherical Gaussian a class, less what all classes share."""
        variance = np.trace(self.covariance) / len(self.covariance)
        squares = np.square(self.means).sum(axis=1)
        return LinearHead(self.means / variance, self.log_shares - squares / 2 / variance)

    def solved(self, weights: np.ndarray, bias: np.ndarray) -> Solved:
        """Return a head on features of one (N, k) in the subspace."""
        bias = np.where(self.present, bias, -np.inf)
        return Solved(LinearHead(weights @ self.directions.T, bias))


def fishermix(statistics: Statistics, seed: int) -> Solved:
    """Return FisherMix's head from statistics of features, under a repetition's seed."""
    space = FisherSpace.of(statistics)
    values, labels = space.drawn(seed)
    rows = LabelledRows(values, labels, np.zeros_like(labels))
    head = logistic(rows, statistics.classes, [PENALTY]).head
    return space.solved(head.weights, head.bias)


def protohyper(statistics: Statistics, seed: int) -> Solved:
    """Return Proto-Hyper's head from statistics of features, under a repetition's seed."""
    space = FisherSpace.of(statistics)
    spherical, discriminants = space.spherical(), space.discriminants()
    drawn, labels = map(torch.from_numpy, space.drawn(seed))
    # An absent class has the score minus infinity, of which a loss would be none.
    present = torch.from_numpy(space.present)
    base, other = (
        torch.from_numpy(head.scores(drawn.numpy())).float().where(present, -1e4)
        for head in (spherical, discriminants)
    )
    teacher = DISCRIMINANT * other + (1 - DISCRIMINANT) * base

    def loss(correction: Tensor, rows: Tensor) -> Tensor:
        student = base[rows] + correction
        wanted = functional.softmax(teacher[rows] / TEMPERATURE, dim=1)
        log_shares = functional.log_softmax(student / TEMPERATURE, dim=1)
        distilled = TEMPERATURE**2 * functional.kl_div(log_shares, wanted, reduction="batchmean")
        plain = functional.cross_entropy(student, labels[rows])
        return DISTILLED * distilled + (1 - DISTILLED) * plain

    width = len(space.covariance)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(torch_seed(seed, "protohyper"))
        narrow = nn.Linear(width, min(RANK, width), bias=False)
        wide = nn.Linear(narrow.out_features, statistics.classes)
        head = nn.Sequential(narrow, wide)
        optimiser = torch.optim.AdamW(head.parameters(), lr=RATE, weight_decay=DECAY)
        for _ in range(EPOCHS if len(drawn) else 0):
            for rows in torch.randperm(len(drawn)).split(BATCH):
                optimiser.zero_grad()
                loss(head(drawn[rows]), rows).backward()
                optimiser.step()
    correction = _numbers(wide.weight) @ _numbers(narrow.weight)
    return space.solved(spherical.weights + correction, spherical.bias + _numbers(wide.bias))


def _numbers(values: Tensor) -> np.ndarray:
    return values.detach().double().numpy()


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
