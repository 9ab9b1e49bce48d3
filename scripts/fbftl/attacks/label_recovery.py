"""Label recovery: how many samples of each label are behind a client's gradient.

With softmax and cross entropy, the last layer's bias gradient is g_a = sum_k p_ka - n_a, where
p_ka is the probability of label a for sample k and n_a the count of label a. Probabilities are
positive, so n_a is at least the next whole number above -g_a; with activations that are never
negative, a negative entry in row a of the weight gradient shows that label a is present. When
these bounds add up to K, they are the counts, and the adversary knows it. This is so when the
probabilities of every label in the batch add up to less than one over the batch: always for
K = 1, and for about K < N samples on a head that is not trained yet.

Otherwise the counts are estimated: row a of the weight gradient over g_a is a weighted mean
activation, which the broadcast head turns into the probabilities of that label's samples, and the
g_a = sum_b n_b p_ba - n_a become linear equations for the counts (Ma et al. 2023, iLRG). That
is good for few samples. For many, samples of one label differ too much, and an adversary with
public data like the clients' does better with the head's mean probabilities on these.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fbftl.ground.errors import UserError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LabelRecovery:
    """Recovered counts, and whether the adversary can be sure of them."""

    counts: NDArray[np.int64]
    """Samples of each label, shape (N,), sum K."""
    certain: bool
    """The lower bounds alone add up to K; holds for gradients sent without noise or clipping."""


def recover_labels(
    weight_gradient: ArrayLike,
    bias_gradient: ArrayLike,
    weight: ArrayLike,
    bias: ArrayLike,
    samples: int,
) -> LabelRecovery:
    """Recover a client's label counts from the gradient of the head's last layer.

    Args:
        weight_gradient: sum over the client's samples, shape (N, h).
        bias_gradient: the same of the bias, shape (N,).
        weight: the broadcast last layer, shape (N, h).
        bias: its bias, shape (N,).
        samples: K, which the client sends along.

    Raises:
        UserError: if a gradient is not finite, so that there is nothing to recover from.
    """
    g, rows = finite(bias_gradient), finite(weight_gradient)
    probabilities = label_probabilities(rows, g, np.asarray(weight), np.asarray(bias))
    expected = expected_counts(probabilities, g, samples)
    return bounded_counts(expected, lower_bounds(rows, g), samples)


def recover_labels_with_public_data(
    weight_gradient: ArrayLike,
    bias_gradient: ArrayLike,
    mean_probabilities: ArrayLike,
    samples: int,
) -> LabelRecovery:
    """Recover a client's label counts as K p_a - g_a, with p_a from public data.

    Args:
        weight_gradient: sum over the client's samples, shape (N, h).
        bias_gradient: the same of the bias, shape (N,).
        mean_probabilities: the broadcast head's mean softmax on public features, shape (N,).
        samples: K, which the client sends along.

    Raises:
        UserError: if a gradient is not finite, so that there is nothing to recover from.
    """
    g, rows = finite(bias_gradient), finite(weight_gradient)
    expected = samples * np.asarray(mean_probabilities, np.float64) - g
    return bounded_counts(expected, lower_bounds(rows, g), samples)


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

    A weight gradient counts as negative beyond the rounding of 32-bit sums.
    """
    from_bias = np.where(bias_gradient < 0, np.floor(-bias_gradient) + 1, 0)
    rounding = 1e-5 * np.abs(weight_gradient).max(initial=0.0)
    present = (weight_gradient < -rounding).any(axis=1)
    return np.maximum(from_bias, present).astype(np.int64)


def label_probabilities(
    weight_gradient: Floats, bias_gradient: Floats, weight: Floats, bias: Floats
) -> Floats:
    """Return the head's probabilities for a typical sample of each label, shape (N, N)."""
    tiny = np.abs(bias_gradient) < 1e-12
    activation = weight_gradient / np.where(tiny, 1.0, bias_gradient)[:, None]
    logits = np.where(tiny[:, None], 0.0, activation) @ weight.T + bias
    return np.exp(logits - np.logaddexp.reduce(logits, axis=1, keepdims=True))


def expected_counts(probabilities: Floats, bias_gradient: Floats, samples: int) -> Floats:
    """Solve g_a = sum_b n_b p_ba - n_a and sum_a n_a = K for n >= 0 in least squares."""
    from scipy.optimize import nnls

    classes = len(bias_gradient)
    system = np.vstack([probabilities.T - np.eye(classes), np.ones(classes)])
    return nnls(system, np.append(bias_gradient, samples))[0]


def bounded_counts(expected: Floats, bounds: NDArray[np.int64], samples: int) -> LabelRecovery:
    """Return the bounds if they settle the counts, else rounded estimates that respect them."""
    if bounds.sum() == samples:
        return LabelRecovery(bounds, certain=True)
    if bounds.sum() > samples:
        # Noise or clipping has broken the bounds.
        bounds = np.zeros_like(bounds)
    return LabelRecovery(whole_counts(expected, bounds, samples), certain=False)


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
    found, actual = np.asarray(recovered), np.asarray(true)
    return float(np.minimum(found, actual).sum() / actual.sum())
