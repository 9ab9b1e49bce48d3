"""How far noise takes features from what they were (paper fedfeat, Eq. 39-43).

All numbers of all samples count alike, whatever coordinate they are of, in one histogram on the
range of both sides together. Bins, base and the constant of the divergence are not published; they
are those below, and the run file says them.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

BINS = 64
"""Of the histograms, on each side."""

SMALL = 1e-9
"""What Eq. (40) adds to probabilities as printed, and Eq. (42) as it stands here."""


def feature_metrics(clean: ArrayLike, noised: ArrayLike) -> dict[str, float]:
    """Return the four metrics, and how large the features are that they are about.

    `mutual_information`, `entropy_difference` and `kl_divergence` in nats, `feature_correlation`
    after Pearson, 0 where a side is constant; `feature_std` over all numbers, `feature_norm` the
    mean L2 norm of a sample.

    Args:
        clean: (n, ...) features of n samples, at least one.
        noised: as they are sent, of the same shape.
    """
    rows = np.asarray(clean, dtype=np.float64)
    rows = rows.reshape(len(rows), -1)
    x, y = rows.ravel(), np.asarray(noised, dtype=np.float64).ravel()
    joint = _joint(x, y)
    p, q = joint.sum(1), joint.sum(0)
    return {
        "mutual_information": max(_entropy(p) + _entropy(q) - _entropy(joint), 0.0),
        "entropy_difference": abs(_printed_entropy(p) - _printed_entropy(q)),
        "kl_divergence": max(float((p * np.log((p + SMALL) / (q + SMALL))).sum()), 0.0),
        "feature_correlation": _correlation(x, y),
        "feature_std": float(x.std()),
        "feature_norm": float(np.linalg.norm(rows, axis=1).mean()),
    }


def _joint(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of the numbers in each pair of bins, (BINS, BINS)."""
    low, high = min(x.min(), y.min()), max(x.max(), y.max())
    width = (high - low) / BINS or 1.0
    first, second = (np.minimum((v - low) / width, BINS - 1).astype(np.int64) for v in (x, y))
    counts = np.bincount(first * BINS + second, minlength=BINS**2)
    return counts.reshape(BINS, BINS) / len(x)


def _entropy(shares: NDArray[np.float64]) -> float:
    present = shares[shares > 0]
    return float(-(present * np.log(present)).sum())


def _printed_entropy(shares: NDArray[np.float64]) -> float:
    """Return Eq. (40), which adds a constant inside the logarithm."""
    return float(-(shares * np.log(shares + SMALL)).sum())


def _correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Return Pearson's coefficient, Eq. (43)."""
    centred_x, centred_y = x - x.mean(), y - y.mean()
    scale = np.sqrt((centred_x**2).sum() * (centred_y**2).sum())
    return float((centred_x * centred_y).sum() / scale) if scale > 0 else 0.0
