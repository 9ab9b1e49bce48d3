"""What a message tells of single samples: the server's best guess of a feature, and its error.

Of a client's statistics the sum of a class is the mean's multiple: a class with one sample tells it
exactly, whatever the second moments say. At K = 1 these alone tell it too, up to its sign, as the
root of a matrix of rank one. A secure sum leaves the means of classes over all clients.
"""

import numpy as np
from numpy.typing import NDArray

from fbftl.messages.statistics import ClassMeans

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
