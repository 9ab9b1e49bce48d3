"""Label privacy: what shuffled batches of labels tell about one client's batch (paper fbftl, V-A).

A client's batch is its count vector [n_1 .. n_N] over the N labels, sum K; two batches with equal
counts are of the same type. Before the query, the adversary's uncertainty is the entropy of a
multinomial count vector, which has a closed form. After it has seen U shuffled batches, it is the
entropy of the empirical distribution over all types seen. All entropies are in bits.
"""

from dataclasses import dataclass
from functools import cache
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fbftl.ground.randomness import stream

CHUNK = 1 << 18
"""Batches drawn at a time, which bounds the memory of a large sample."""


@dataclass(frozen=True)
class Estimate:
    """Mean of a sampled quantity and its standard deviation over the repetitions."""

    mean: float
    spread: float


def uniform(classes: int) -> NDArray[np.float64]:
    """Return P_y,uni over `classes` labels."""
    return np.full(classes, 1 / classes)


def batch_types(classes: int, samples: int) -> int:
    """Return the number of batch types |B|, Eq. (23)."""
    return comb(classes + samples - 1, samples)


def log2_factorials(largest: int) -> NDArray[np.float64]:
    """Return log2 k! for k = 0 .. largest."""
    return np.concatenate([[0.0], np.cumsum(np.log2(np.arange(1, largest + 1)))])


def binomial_pmf(probability: float, samples: int) -> NDArray[np.float64]:
    """Return the probabilities of n = 0 .. K under Bin(K, p).

    They are made to sum to 1 exactly: the entropy is a small difference of terms of order
    K log K, to which a relative error common to all probabilities would add visibly.
    """
    if probability in (0.0, 1.0):
        pmf = np.zeros(samples + 1)
        pmf[round(probability) * samples] = 1.0
        return pmf
    n = np.arange(samples + 1)
    factorials = log2_factorials(samples)
    choose = factorials[-1] - factorials - factorials[::-1]
    log2 = choose + n * np.log2(probability) + (samples - n) * np.log1p(-probability) / np.log(2)
    pmf = np.exp2(log2)
    return pmf / pmf.sum()


def marginal_mean(
    values: NDArray[np.float64], distribution: NDArray[np.float64], samples: int
) -> float:
    """Return sum_a E[f(n_a)] for f given at 0 .. K; every count's marginal is binomial."""
    return float(sum(binomial_pmf(p, samples) @ values for p in distribution))


def batch_entropy(distribution: ArrayLike, samples: int) -> float:
    """Return H(B | P_y), Eq. (25) and (27), in closed form.

    The entropy of a multinomial count vector is
    -log2 K! - K sum_a p_a log2 p_a + sum_a E[log2 n_a!], so no batch type is ever enumerated.

    Args:
        distribution: P_y, shape (N,).
        samples: K, the samples of one client.
    """
    p = np.asarray(distribution, dtype=float)
    factorials = log2_factorials(samples)
    label_entropy = -float(p[p > 0] @ np.log2(p[p > 0]))
    entropy = samples * label_entropy - factorials[-1] + marginal_mean(factorials, p, samples)
    return max(float(entropy), 0.0)


def type_keys(counts: NDArray[np.integer]) -> NDArray:
    """Encode count vectors, shape (U, N), as U keys that are equal exactly for equal types.

    Batches of one size K get their rank among all types in ascending lexicographic order, which
    is the order of the public script, as long as |B| fits 63 bits. Others get their bytes.
    """
    batches, classes = counts.shape
    sizes = counts.sum(axis=1)
    samples = int(sizes.max(initial=0))
    if batches and (sizes == samples).all() and batch_types(classes, samples) < 2**63:
        return type_ranks(counts, samples)
    rows = np.ascontiguousarray(counts, dtype=np.min_scalar_type(samples))
    return rows.view(np.dtype((np.void, rows.itemsize * classes)))[:, 0]


def type_ranks(counts: NDArray[np.integer], samples: int) -> NDArray[np.int64]:
    """Return each count vector's rank, from 0, in ascending lexicographic order.

    With R samples left to m + 1 labels, C(R + m, m) types are possible. A label that takes n of
    the R skips the types in which it takes fewer: C(R + m, m) - C(R - n + m, m) of them.
    """
    classes = counts.shape[1]
    left = np.full(len(counts), samples)
    ranks = np.zeros(len(counts), dtype=np.int64)
    for label in range(classes - 1):
        m = classes - 1 - label
        types = np.array([comb(r + m, m) for r in range(samples + 1)], dtype=np.int64)
        after = left - counts[:, label]
        ranks += types[left] - types[after]
        left = after
    return ranks


def sample_types(
    distribution: ArrayLike, samples: int, batches: int, generator: np.random.Generator
) -> NDArray:
    """Return the type keys, shape (U,), of U batches of K labels drawn from P_y."""
    p = np.asarray(distribution, dtype=float)
    p = p / p.sum()
    sizes = [min(CHUNK, batches - start) for start in range(0, batches, CHUNK)]
    return np.concatenate([type_keys(generator.multinomial(samples, p, size=n)) for n in sizes])


def empirical_entropy(keys: NDArray) -> float:
    """Return H(B | C_U = c_U), Eq. (30): over all types seen, each counted exactly."""
    _, counts = np.unique(keys, return_counts=True)
    share = counts / counts.sum()
    return float(-(share @ np.log2(share))) + 0.0


def truncated_entropy(ranks: NDArray[np.int64]) -> float:
    """Return Eq. (30) summed over the first U types only, as the published curves have it.

    The public script loops over U types where it means all |B| of them, in ascending
    lexicographic order of the count vector. What it misses is counted as no uncertainty.
    """
    batches = len(ranks)
    types, counts = np.unique(ranks, return_counts=True)
    share = counts[types < batches] / batches
    return float(-(share @ np.log2(share))) + 0.0


def estimate(values: list[float]) -> Estimate:
    """Return mean and standard deviation over repetitions; one repetition has no spread."""
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return Estimate(float(np.mean(values)), spread)


def queried_entropy(
    distribution: ArrayLike, samples: int, batches: int, *, repetitions: int = 5, seed: int = 0
) -> Estimate:
    """Return H(B | C_U), Eq. (30), of U batches sampled from P_y, mean and spread.

    Args:
        distribution: P_y, shape (N,).
        samples: K, the samples of one client.
        batches: U, the shuffled batches that the adversary sees.
        repetitions: independent draws of the U batches.
        seed: seed of the draws.
    """
    draws = drawn_types(distribution, samples, batches, repetitions, seed)
    return estimate([empirical_entropy(keys) for keys in draws])


def drawn_types(
    distribution: ArrayLike, samples: int, batches: int, repetitions: int, seed: int
) -> list[NDArray]:
    """Return the type keys (U,) of each repetition, as `queried_entropy` takes them; drawn once."""
    return _drawn(tuple(np.asarray(distribution, dtype=float)), samples, batches, repetitions, seed)


@cache
def _drawn(
    distribution: tuple[float, ...], samples: int, batches: int, repetitions: int, seed: int
) -> list[NDArray]:
    generators = (stream(seed, "label_batches", samples, batches, r) for r in range(repetitions))
    return [sample_types(distribution, samples, batches, generator) for generator in generators]
