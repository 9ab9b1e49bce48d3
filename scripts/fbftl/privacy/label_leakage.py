"""Measured label leakage of a real client partition, beside a partition drawn at random.

The formulas of `label_privacy` assume that every client draws its labels independently from P_y.
Shards and Dirichlet partitions do not: their batches repeat few types, and a client's labels are
few. Both show here, each beside the same number for clients of the same sizes drawn i.i.d., because
a finite number of batches leaks by itself.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream
from fbftl.privacy.label_privacy import (
    Estimate,
    batch_entropy,
    empirical_entropy,
    estimate,
    marginal_mean,
    type_keys,
    uniform,
)


@dataclass(frozen=True)
class PartitionLeakage:
    """What a partition tells of its clients' labels; entropies and leakages in bits.

    A client's size K_u is part of its batch type, so with unequal sizes every batch entropy
    holds the entropy of the sizes too.

    entropy_uniform: H(B | P_y,uni), Eq. (25).
    entropy_true: H(B | P_y,true), Eq. (27), with the partition's own label shares.
    entropy_queried: H(B | C_U = c_U), Eq. (30), of the partition's own batches.
    entropy_queried_iid: H(B | C_U = c_U) of i.i.d. clients of those sizes, over repeated draws.
    statistical: L_s, Eq. (28).
    query: L_q, Eq. (34).
    total: L_t, Eq. (36).
    client_entropy: entropy of a label given its client, bits per sample.
    client_entropy_iid: expected entropy of a label given its client if clients of those sizes are
        i.i.d., bits per sample.
    """

    clients: int
    classes: int
    entropy_uniform: float
    entropy_true: float
    entropy_queried: float
    entropy_queried_iid: Estimate
    statistical: float
    query: float
    total: float
    client_entropy: float
    client_entropy_iid: float


def checked_counts(counts: ArrayLike) -> NDArray[np.int64]:
    """Return label counts as an integer array of shape (clients, classes).

    Raises:
        UserError: if the counts are not such a matrix or a client has no sample.
    """
    matrix = np.asarray(counts)
    whole = np.issubdtype(matrix.dtype, np.integer) and matrix.size > 0 and (matrix >= 0).all()
    if matrix.ndim != 2 or not whole:
        raise UserError("label counts must be a matrix (clients, classes) of whole numbers >= 0")
    empty = matrix.sum(axis=1) == 0
    if empty.any():
        raise UserError(f"client {empty.argmax()} has no samples: leave out empty clients")
    return matrix.astype(np.int64)


def partition_leakage(
    counts: ArrayLike, *, repetitions: int = 20, seed: int = 0
) -> PartitionLeakage:
    """Measure the label leakage of a client partition.

    Args:
        counts: samples of each label at each client, shape (clients, classes).
        repetitions: draws of the i.i.d. partition that the measured one is compared with.
        seed: seed of these draws.

    Raises:
        UserError: if the counts are not a matrix of whole numbers or a client is empty.
    """
    matrix = checked_counts(counts)
    sizes = matrix.sum(axis=1)
    shares = matrix.sum(axis=0) / matrix.sum()
    before = batch_entropy_of_sizes(uniform(matrix.shape[1]), sizes)
    given_partition = batch_entropy_of_sizes(shares, sizes)
    queried = empirical_entropy(type_keys(matrix))
    generators = (stream(seed, "iid_partition", r) for r in range(repetitions))
    iid = [empirical_entropy(type_keys(g.multinomial(sizes, shares))) for g in generators]
    return PartitionLeakage(
        clients=len(matrix),
        classes=matrix.shape[1],
        entropy_uniform=before,
        entropy_true=given_partition,
        entropy_queried=queried,
        entropy_queried_iid=estimate(iid),
        statistical=before - given_partition,
        query=given_partition - queried,
        total=before - queried,
        client_entropy=client_entropy(matrix),
        client_entropy_iid=client_entropy_iid(shares, sizes),
    )


def batch_entropy_of_sizes(distribution: NDArray[np.float64], sizes: NDArray[np.int64]) -> float:
    """Return H(B | P_y) of a client picked at random: H(K_u) + E[H(B | P_y, K_u)]."""
    values, clients = np.unique(sizes, return_counts=True)
    share = clients / clients.sum()
    given_size = np.array([batch_entropy(distribution, int(k)) for k in values])
    return float(share @ (given_size - np.log2(share)))


def client_entropy(counts: NDArray[np.int64]) -> float:
    """Return the entropy of a random sample's label, given its client, in bits."""
    sizes = counts.sum(axis=1, keepdims=True)
    share = counts / sizes
    log2 = np.log2(share, where=counts > 0, out=np.zeros_like(share))
    return float(-(counts * log2).sum() / counts.sum()) + 0.0


def client_entropy_iid(distribution: NDArray[np.float64], sizes: NDArray[np.int64]) -> float:
    """Return what `client_entropy` expects of i.i.d. clients of these sizes, in closed form."""
    values, clients = np.unique(sizes, return_counts=True)
    total = 0.0
    for samples, times in zip(values.tolist(), clients.tolist(), strict=True):
        n = np.arange(1, samples + 1)
        n_log_n = np.concatenate([[0.0], n * np.log2(n)])
        expected = marginal_mean(n_log_n, distribution, samples)
        total += times * (samples * np.log2(samples) - expected)
    return float(total / sizes.sum())
