"""What messages tell of samples: how many have each label, and single samples' features.

With softmax and cross entropy, the last layer's bias gradient is g_a = sum_k p_ka - n_a, where
p_ka is the probability of label a for sample k and n_a the count of label a. Probabilities are
positive, so n_a is at least the next whole number above -g_a; with activations that are never
negative, a negative entry in row a of the weight gradient shows that label a is present. When
these bounds add up to K, they are the counts, and the adversary knows it. This is so when the
probabilities of every label in the batch add up to less than one over the batch: for K = 1, as
long as no probability is rounded to 0 or 1, and for about K < N samples on a head that is not
trained yet.

Otherwise the counts are estimated: n_a = sum_k p_ka - g_a, where the first term is the head's mean
probability times K. The adversary learns it from public samples: it forms the updates of simulated
clients, with labels drawn at random and whatever clipping and noise the real ones are under, and
fits n_a = alpha_a + beta g_a to them. Without noise beta is -1; under noise it goes to 0, and the
estimate to the guess that needs no update.

Of a client's statistics the sum of a class is the mean's multiple: a class with one sample tells it
exactly, whatever the second moments say. At K = 1 these alone tell it too, up to its sign, as the
root of a matrix of rank one. A secure sum leaves the means of classes over all clients.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fbftl.ground.errors import UserError
from fbftl.messages.statistics import ClassMeans

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Calibration:
    """What an adversary has learnt from simulated clients: n_a = intercept_a + slope g_a.

    intercept: intercept_a of each label, (N,).
    """

    intercept: Floats
    slope: float


def calibrate(bias_gradients: ArrayLike, counts: ArrayLike) -> Calibration:
    """Fit the counts of simulated clients with equally frequent labels to their bias gradients.

    Args:
        bias_gradients: as the adversary would see them, shape (m, N).
        counts: samples of each label behind them, shape (m, N), rows of equal sum.

    Raises:
        UserError: if a gradient is not finite.
    """
    g, n = finite(bias_gradients), np.asarray(counts, np.float64)
    centred, balanced = g - g.mean(axis=0), n[0].sum() / n.shape[1]
    scatter = max(float((centred**2).sum()), 1e-300)
    slope = float((centred * (n - n.mean(axis=0))).sum()) / scatter
    rest = n - n.mean(axis=0) - slope * centred
    error = float(np.sqrt((rest**2).sum() / rest.size / scatter))
    if slope > -2 * error:  # counts fall as gradients grow, or nothing was learnt
        return Calibration(np.full(n.shape[1], balanced), 0.0)
    return Calibration(balanced - slope * g.mean(axis=0), slope)


def recover_labels(
    weight_gradient: ArrayLike,
    bias_gradient: ArrayLike,
    calibration: Calibration,
    samples: int,
    noisy: bool = False,
) -> NDArray[np.int64]:
    """Return a client's label counts (N,), sum K, by the gradient of the head's last layer.

    Args:
        weight_gradient: sum over the client's samples, shape (N, h), clipped or not.
        bias_gradient: gradient of the bias of that layer, shape (N,).
        calibration: from simulated clients under the same clipping and noise.
        samples: K, which the client sends along.
        noisy: whether noise was added, under which the bounds do not hold.

    Raises:
        UserError: if a gradient is not finite, so that there is nothing to recover from.
    """
    g, rows = finite(bias_gradient), finite(weight_gradient)
    bounds = np.zeros(len(g), dtype=np.int64) if noisy else lower_bounds(rows, g)
    if bounds.sum() == samples:
        return bounds
    if bounds.sum() > samples:  # rounding has broken the bounds
        bounds = np.zeros_like(bounds)
    return whole_counts(calibration.intercept + calibration.slope * g, bounds, samples)


def blind_counts(classes: int, samples: int) -> NDArray[np.int64]:
    """Return the guess of an adversary without the gradient: as balanced as K allows."""
    return samples // classes + (np.arange(classes) < samples % classes)


def finite(gradient: ArrayLike) -> Floats:
    """Return a gradient as an array.

    Raises:
        UserError: if it is not finite.
    """
    array = np.asarray(gradient, np.float64)
    if not np.isfinite(array).all():
        raise UserError("label recovery needs finite gradients: the training run has diverged")
    return array


def lower_bounds(weight_gradient: Floats, bias_gradient: Floats) -> NDArray[np.int64]:
    """Return how many samples of each label there are at least, shape (N,).

    Clipping shrinks a gradient, so that they hold after it as well. A weight gradient counts as
    negative beyond the rounding of 32-bit sums.
    """
    from_bias = np.where(bias_gradient < 0, np.floor(-bias_gradient) + 1, 0)
    rounding = 1e-5 * np.abs(weight_gradient).max(initial=0.0)
    present = (weight_gradient < -rounding).any(axis=1)
    return np.maximum(from_bias, present).astype(np.int64)


def whole_counts(expected: Floats, bounds: NDArray[np.int64], samples: int) -> NDArray[np.int64]:
    """Round counts to whole numbers that respect the bounds and add up to K."""
    free = samples - int(bounds.sum())
    above = np.maximum(expected - bounds, 0.0) + 1e-9
    above *= free / above.sum()
    counts = np.floor(above).astype(np.int64)
    order = np.argsort(counts - above, kind="stable")
    counts[order[: free - counts.sum()]] += 1
    return bounds + counts


def share_recovered(recovered: ArrayLike, true: ArrayLike) -> float:
    """Return the share of a batch's labels that the recovered counts have right, 0 to 1."""
    guessed, actual = np.asarray(recovered), np.asarray(true)
    return float(np.minimum(guessed, actual).sum() / actual.sum())


EXACT = 1e-3
"""Relative error up to which a feature counts as told."""


def guesses(
    message: str, values: NDArray[np.float32], labels: np.ndarray, client: np.ndarray, classes: int
) -> NDArray[np.float64]:
    """Return the server's guess (n, d) of every feature from what it sees.

    Args:
        message: features, means (of statistics and mixtures too), or sum.
        values: (n, d) the features.
        labels: (n,) their labels.
        client: (n,) whose each is; all of one client under a secure sum.
        classes: number of classes N.
    """
    if message == "features":
        return values.astype(np.float64)
    whose = np.zeros_like(client) if message == "sum" else client
    means = ClassMeans.of(values, labels, whose, classes)
    pair = means.client * classes + means.label
    return means.means[np.searchsorted(pair, whose.astype(np.int64) * classes + labels)]


def errors(guess: np.ndarray, values: np.ndarray) -> NDArray[np.float64]:
    """Return how far each guess (n, d) is from its feature, over the feature's length, (n,)."""
    lengths = np.linalg.norm(values, axis=1)
    return np.linalg.norm(guess - values, axis=1) / np.maximum(lengths, 1e-12)


def root_of_rank_one(scatter: np.ndarray) -> NDArray[np.float64]:
    """Return x of x xᵀ (d, d), with the sign under which most of it is positive."""
    largest = int(np.argmax(np.diag(scatter)))
    if scatter[largest, largest] <= 0:
        return np.zeros(len(scatter))
    root = scatter[largest] / np.sqrt(scatter[largest, largest])
    return root if root.sum() >= 0 else -root
