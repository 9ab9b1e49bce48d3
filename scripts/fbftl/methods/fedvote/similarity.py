"""How alike two networks represent the same samples: linear centred kernel alignment.

CKA(X, Y) = HSIC(K, L) / sqrt(HSIC(K, K) HSIC(L, L)) with K = X Xᵀ and L = Y Yᵀ (Kornblith et al.
2019). The biased HSIC grows with the width of independent features where samples are few; the
unbiased one (Song et al. 2012, Eq. 5) has mean 0 for them. Both are sums over pairs of samples, so
above `SKETCHED` samples a random part of them is a sketch of the whole.
"""

import math

import numpy as np

from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream

SKETCHED = 512
"""Samples above which a sketch stands for all of them (paper survey, Sec. 4.1.2: s-CKA)."""

LEAST = 4
"""Samples that the unbiased HSIC needs."""


def cka(x: np.ndarray, y: np.ndarray, unbiased: bool = True) -> float:
    """Return the similarity of features (n, p) and (n, q) of the same samples; 1 is equal.

    Features that are all constant are similar to nothing: 0.

    Args:
        x: features under one network.
        y: features under the other.
        unbiased: which HSIC.

    Raises:
        UserError: if there are too few samples for the unbiased one.
    """
    if unbiased and len(x) < LEAST:
        raise UserError(
            f"a client compares models by {len(x)} samples, and the unbiased similarity needs "
            f"{LEAST}; give clients more samples, or cka_estimator: biased"
        )
    hsic = _unbiased if unbiased else _biased
    gram_x, gram_y = (
        features.astype(np.float64) @ features.astype(np.float64).T for features in (x, y)
    )
    sizes = hsic(gram_x, gram_x), hsic(gram_y, gram_y)
    return hsic(gram_x, gram_y) / math.sqrt(math.prod(sizes)) if min(sizes) > 0 else 0.0


def sketched(rows: np.ndarray, seed: int, client: int) -> np.ndarray:
    """Return the rows that a client compares models by: all, or a random part of many."""
    if len(rows) <= SKETCHED:
        return rows
    return np.sort(stream(seed, "sketch", client).choice(rows, SKETCHED, replace=False))


def _biased(gram_x: np.ndarray, gram_y: np.ndarray) -> float:
    """Return tr(K H L H) / (n - 1)², H the centring matrix, of two Gram matrices (n, n)."""
    centred = gram_x - gram_x.mean(0) - gram_x.mean(1)[:, None] + gram_x.mean()
    return float((centred * gram_y).sum() / (len(gram_x) - 1) ** 2)


def _unbiased(gram_x: np.ndarray, gram_y: np.ndarray) -> float:
    """Return Song et al.'s estimate from two Gram matrices (n, n), n at least 4."""
    n = len(gram_x)
    gram_x, gram_y = (gram - np.diag(np.diag(gram)) for gram in (gram_x, gram_y))
    pairs = (gram_x * gram_y).sum()
    apart = gram_x.sum() * gram_y.sum() / ((n - 1) * (n - 2))
    triples = 2 * (gram_x.sum(0) @ gram_y.sum(0)) / (n - 2)
    return float((pairs + apart - triples) / (n * (n - 3)))
