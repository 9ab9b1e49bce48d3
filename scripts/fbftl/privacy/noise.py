"""Applying privacy mechanisms to arrays: clipping, noise on uploads and updates, flipped labels.

An upload's noise belongs to its sample. It is keyed by the release's seed and the sample's id, so a
sample gets the same draw whichever other samples take part, in every epoch; another release, of
another noise or clip norm or cut, has noise of its own (`privacy/release.py`). The public
script's fresh draw per epoch is the same function with another `draw`.
"""

from collections.abc import Mapping, Sequence
from math import exp
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream
from fbftl.ground.room import parts

Floats = NDArray[np.float32]


def row_norms(vectors: ArrayLike) -> NDArray[np.float64]:
    """Return the L2 norm of each row of `vectors`, shape (n, d)."""
    # Row by row, because a float64 copy of all client updates of a round does not fit the cache.
    norms = (np.linalg.norm(np.asarray(row, dtype=np.float64)) for row in np.asarray(vectors))
    return np.fromiter(norms, dtype=np.float64)


def clip_factors(vectors: Floats, clip_norm: float) -> NDArray[np.float64]:
    """Return what each row of `vectors`, shape (n, d), is to be scaled with, at most 1, (n,).

    Raises:
        UserError: if the clip norm is not positive or a vector is not finite.
    """
    if not 0 < clip_norm < np.inf:
        raise UserError(f"clip norm is {clip_norm}: give a positive number")
    norms = row_norms(vectors)
    if not np.isfinite(norms).all():
        raise UserError(
            f"vector {np.isfinite(norms).argmin()} to be clipped is not finite:"
            " lower the learning rate or drop the sample"
        )
    factors = clip_norm / np.maximum(norms, clip_norm)
    # Products are rounded to 32 bits, so aim just below the norm that the guarantee assumes.
    return np.where(factors < 1, factors * (1 - 1e-6), factors)


def clip_rows(vectors: ArrayLike, clip_norm: float) -> Floats:
    """Scale down each row of `vectors`, shape (n, d), whose L2 norm exceeds `clip_norm`.

    No row is longer than `clip_norm` afterwards, whatever its length was.

    Raises:
        UserError: as `clip_factors`.
    """
    sent = np.asarray(vectors, dtype=np.float32)
    factors = clip_factors(sent, clip_norm)
    clipped = sent * factors.astype(np.float32)[:, None]
    for row in np.flatnonzero((factors < 1) & (np.minimum(factors, clip_norm) < COARSE)):
        clipped[row] = _towards_zero(sent[row].astype(np.float64) * factors[row])
    return clipped


COARSE = 1e-30
"""Below this the 32-bit numbers that a product is made of may be denormal, and lack digits."""


def _towards_zero(exact: NDArray[np.float64]) -> Floats:
    """Return numbers in 32 bits, none of them larger than it was."""
    rounded = exact.astype(np.float32)
    larger = np.abs(rounded.astype(np.float64)) > np.abs(exact)
    return np.where(larger, np.nextafter(rounded, np.float32(0)), rounded)


def clip_norm(rule: Mapping[str, Any], source_vectors: ArrayLike | None = None) -> float:
    """Return the clip norm c that a config asks for.

    Args:
        rule: either `norm` (c itself) or `quantile`, of the L2 norms of the source data: these are
            public, and a quantile of private data would be a release of its own.
        source_vectors: features of the source data, shape (n, d), for a quantile.

    Raises:
        UserError: if a quantile is asked for, and there are no features of source data.
    """
    if "norm" in rule:
        return float(rule["norm"])
    if source_vectors is None or len(np.asarray(source_vectors)) == 0:
        raise UserError("clip quantile needs features of source data: extract them, or give a norm")
    return float(np.quantile(row_norms(source_vectors), rule["quantile"]))


def sample_noise(seed: int, sample_ids: ArrayLike, width: int, *, draw: int = 0) -> Floats:
    """Return standard normal noise, shape (n, width), one row per sample id.

    Args:
        seed: the repetition's seed.
        sample_ids: non-negative integers, shape (n,), that name the samples for good.
        width: numbers per upload.
        draw: 0 for an upload's one draw; the epoch, if noise is to be redrawn each epoch.
    """
    ids = np.asarray(sample_ids).tolist()
    noise = np.empty((len(ids), width), dtype=np.float32)
    for row, sample in zip(noise, ids, strict=True):
        stream(seed, "noise", draw, sample).standard_normal(dtype=np.float32, out=row)
    return noise


def relative_range(vectors: ArrayLike, samples: int = 1) -> float:
    """Return R = max |g(d) - g(d')| / (K std(g(d))), paper fbftl, Sec. V-B, over a training set.

    The maximum is over pairs of vectors and over coordinates. The largest difference from g(d) in
    a coordinate is to that coordinate's minimum or maximum, so no pair is ever formed.

    Args:
        vectors: what would be uploaded, shape (n, d).
        samples: K, the samples behind one upload: 1 for features, K_u for client updates.

    Raises:
        UserError: if a vector is constant, which has no standard deviation.
    """
    vectors = np.asarray(vectors)
    low = np.asarray(vectors.min(axis=0), dtype=np.float64)
    high = np.asarray(vectors.max(axis=0), dtype=np.float64)
    ratios = []
    for part in parts(vectors.shape, np.float64):
        g = np.asarray(vectors[part], dtype=np.float64)
        spread = g.std(axis=1)
        number = int(spread.argmin())
        _require_spread(part.start + number, spread[number])
        ratios.append((np.maximum(g - low, high - g).max(axis=1) / spread).max())
    return float(max(ratios) / samples)


def relative_range_of_unequal(vectors: Sequence[NDArray[np.float32]]) -> float:
    """Return R of `relative_range` over vectors of unequal length, one sample behind each.

    A coordinate is compared among the vectors that are long enough to have it.

    Args:
        vectors: what would be uploaded, each of shape (d_i,).

    Raises:
        UserError: if a vector is constant.
    """
    longest = max(map(len, vectors))
    low, high = np.full(longest, np.inf), np.full(longest, -np.inf)
    for g in vectors:
        np.minimum(low[: len(g)], g, out=low[: len(g)])
        np.maximum(high[: len(g)], g, out=high[: len(g)])
    largest = 0.0
    for number, vector in enumerate(vectors):
        g = vector.astype(np.float64)
        farthest = np.maximum(g - low[: len(g)], high[: len(g)] - g).max()
        _require_spread(number, spread := g.std())
        largest = max(largest, farthest / spread)
    return float(largest)


def _require_spread(number: int, spread: float) -> None:
    if spread == 0:
        raise UserError(
            f"vector {number} is constant, so noise relative to its standard"
            " deviation is undefined: use the gaussian mechanism or another cut layer"
        )


def add_relative(
    vectors: ArrayLike, noise: Floats, *, sigma: float, relative_range: float
) -> Floats:
    """Return g + n with n ~ N(0, sigma^2 R^2 std(g)^2 I), paper fbftl, Sec. V-B.

    Args:
        vectors: uploads g, shape (n, d).
        noise: standard normal noise of the same shape.
        sigma: noise factor of the paper.
        relative_range: R, see the function of that name.
    """
    g = np.asarray(vectors, dtype=np.float32)
    return g + np.float32(sigma * relative_range) * g.std(axis=1, keepdims=True) * noise


def add_gaussian(vectors: ArrayLike, noise: Floats, *, sigma: float, clip_norm: float) -> Floats:
    """Return the rows of `vectors` clipped to L2 norm c, plus N(0, sigma^2 c^2 I).

    Args:
        vectors: uploads, shape (n, d).
        noise: standard normal noise of the same shape.
        sigma: noise standard deviation over the clip norm.
        clip_norm: L2 clip norm c.
    """
    return clip_rows(vectors, clip_norm) + np.float32(sigma * clip_norm) * noise


def noisy_sum(clipped: ArrayLike, *, noise_std: float, seed: int, round_number: int) -> Floats:
    """Return one round's sum of clipped client updates plus N(0, sigma^2 c^2 I), shape (d,).

    To keep the guarantee, divide by the expected number of samples in a round, not by the number
    that happened to take part.

    Args:
        clipped: what the clients of the round sent, each clipped to c (`clip_rows`), shape
            (clients, d); may have no row.
        noise_std: sigma c, the noise's standard deviation.
        seed: the repetition's seed.
        round_number: the round, which has its own noise.
    """
    total = np.asarray(clipped, dtype=np.float32).sum(axis=0)
    noise = stream(seed, "update_noise", round_number).standard_normal(len(total))
    return (total + noise_std * noise).astype(np.float32)


def poisson_sample(seed: int, round_index: int, clients: int, rate: float) -> NDArray[np.intp]:
    """Return the clients that take part in a round, each independently with probability C."""
    return np.flatnonzero(stream(seed, "participation", round_index).random(clients) < rate)


def keep_probability(epsilon: float, classes: int) -> float:
    """Return the probability with which randomised response keeps a label."""
    return 1 / (1 + (classes - 1) * exp(-epsilon))


def respond(
    labels: ArrayLike, sample_ids: ArrayLike, *, epsilon: float, classes: int, seed: int
) -> NDArray[np.int64]:
    """Return labels under randomised response, one answer per sample, fixed for good.

    A label stays with probability e^eps / (e^eps + N - 1) and becomes each other label with
    probability 1 / (e^eps + N - 1).

    Args:
        labels: true labels 0 .. N-1, shape (n,).
        sample_ids: non-negative integers, shape (n,), that name the samples for good.
        epsilon: epsilon per label.
        classes: number of labels N.
        seed: the repetition's seed.
    """
    ids = np.asarray(sample_ids).tolist()
    uniforms = np.array([stream(seed, "labels", sample).random(2) for sample in ids])
    return responses(labels, uniforms.reshape(-1, 2), epsilon=epsilon, classes=classes)


def responses(
    labels: ArrayLike, uniforms: NDArray[np.float64], *, epsilon: float, classes: int
) -> NDArray[np.int64]:
    """Return labels under randomised response, see `respond`.

    Args:
        labels: true labels 0 .. N-1, shape (n,).
        uniforms: numbers from 0 to 1, shape (n, 2), by which each is answered.
        epsilon: epsilon per label.
        classes: number of labels N.
    """
    true = np.asarray(labels, dtype=np.int64)
    shift = 1 + np.floor(uniforms[:, 1] * (classes - 1)).astype(np.int64)
    moved = uniforms[:, 0] >= keep_probability(epsilon, classes)
    return np.where(moved, (true + shift) % classes, true)
