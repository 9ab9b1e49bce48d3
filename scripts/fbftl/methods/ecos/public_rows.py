"""The public rows that a cloud sells, in clusters and in order, and labels and heads of them.

Every query has a Poisson sample of the client's rows of its own. Its votes are those of the K
nearest sampled rows, by class, under Gaussian noise; its confidence is their largest number, under
a noise of its own. A row that is added, removed or replaced has one row less and one row more among
the K: it moves the votes by √2 in L2 norm and the confidence by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from fbftl.features.store.reader import open_store
from fbftl.ground.randomness import stream
from fbftl.messages.statistics import LabelledRows
from fbftl.methods.ecos.coverage import Clusters, clustered, farthest_first
from fbftl.training.closed_form import LinearHead
from fbftl.training.logistic import STEPS, logistic
from fbftl.training.tasks.task import LabelledFeatures


@dataclass(frozen=True, eq=False)
class PublicRows:
    """What a cloud has.

    values: (n, d) float32.
    labels: (n,) int64.
    domain: (n,) int32 place among the domains of the sources; None if there is one only.
    """

    values: np.ndarray
    labels: np.ndarray
    domain: np.ndarray | None

    def of(self, domains: list[int]) -> np.ndarray:
        """Tell which rows are of some domains, (n,)."""
        if self.domain is None:
            return np.full(len(self.labels), 0 in domains)
        return np.isin(self.domain, domains)


def public_rows(manifest: Path) -> PublicRows:
    """Return all rows of a store of public samples, those that others hold out too."""
    store = open_store(manifest)
    parts = [store.read(split) for split in store.splits]
    has_domains = all(part.domain is not None for part in parts)
    return PublicRows(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.labels for part in parts]).astype(np.int64),
        np.concatenate([part.domain for part in parts]) if has_domains else None,
    )


@dataclass
class PublicPool:
    """What is sold, and who may buy it.

    client_data: what the clients hold.
    rows: the public rows.
    most: rows of the largest purchase by K-Center, of which any smaller one is the beginning.
    _clusters: by number of centroids and seed: settings that ask for the same share the work.
    _apart: by its first row, K-Center's order of the rows, likewise.
    _teacher: the head that learnt from all that is sold, once it is needed.
    """

    client_data: LabelledFeatures
    rows: PublicRows
    most: int = 0
    _clusters: dict[tuple[int, int], Clusters] = field(default_factory=dict)
    _apart: dict[int, np.ndarray] = field(default_factory=dict)
    _teacher: LinearHead | None = None

    def clusters(self, count: int, seed: int) -> Clusters:
        """Return the public rows in so many clusters."""
        if (count, seed) not in self._clusters:
            self._clusters[count, seed] = clustered(self.rows.values, count, seed)
        return self._clusters[count, seed]

    def apart(self, count: int, first: int) -> np.ndarray:
        """Return so many of the public rows, from a first one on each farthest from the others."""
        if first not in self._apart or len(self._apart[first]) < count:
            self._apart[first] = farthest_first(self.rows.values, max(count, self.most), first)
        return self._apart[first][:count]

    def teacher(self, penalties: Sequence[float]) -> LinearHead:
        """Return a head that learnt from all public rows and their labels."""
        if self._teacher is None:
            everything = LabelledRows(self.rows.values, self.rows.labels, self.rows.labels)
            self._teacher = logistic(everything, self.client_data.payload.classes, penalties).head
        return self._teacher


AT_ONCE = 2**22
"""Distances that are held at a time."""


@dataclass(frozen=True, eq=False)
class Answers:
    """What a client says of some queries.

    labels: (q,) int64, of the most noisy votes.
    confidence: (q,).
    """

    labels: np.ndarray
    confidence: np.ndarray

    def most_confident(self, per_class: int) -> np.ndarray:
        """Return the queries of the greatest confidence, at most so many of each label."""
        order = np.argsort(-self.confidence, kind="stable")
        ranked = [
            order[self.labels[order] == label][:per_class] for label in np.unique(self.labels)
        ]
        return np.sort(np.concatenate(ranked)) if ranked else order


def votes(
    queries: np.ndarray, values: np.ndarray, labels: np.ndarray, classes: int, neighbours: int,
    sampled: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Return the votes (q, N) of the nearest rows of each query; fewer where fewer were sampled.

    Args:
        queries: (q, d).
        values: (n, d) of the client.
        labels: (n,) their classes.
        classes: number of classes N.
        neighbours: K.
        sampled: (q, n) whether a row answers a query.
    """
    distances = (values**2).sum(axis=1) - 2 * queries @ values.T
    distances = np.where(sampled, distances, np.inf)
    near = np.argsort(distances, axis=1, kind="stable")[:, :neighbours]
    there = np.isfinite(np.take_along_axis(distances, near, axis=1))
    return (np.eye(classes)[labels[near]] * there[:, :, None]).sum(axis=1)


def answered(
    queries: np.ndarray, values: np.ndarray, labels: np.ndarray, classes: int,
    block: dict[str, Any], seed: int,
) -> Answers:  # fmt: skip
    """Return what a client says of some queries.

    Args:
        queries: (q, d).
        values: (n, d) of the client.
        labels: (n,) their classes.
        classes: number of classes N.
        block: config block `outsourcing` of the task: K, sampling and both noises.
        seed: of the repetition.
    """
    rng = stream(seed, "label queries")
    counted = []
    for first in range(0, len(queries), max(1, AT_ONCE // len(values))):
        batch = queries[first : first + max(1, AT_ONCE // len(values))]
        sampled = rng.random((len(batch), len(values))) < block["query_sampling"]
        counted.append(votes(batch, values, labels, classes, block["neighbours"], sampled))
    totals = np.concatenate(counted)
    noisy = totals + block["vote_noise"] * rng.standard_normal(totals.shape)
    largest = totals.max(axis=1) + block["confidence_noise"] * rng.standard_normal(len(totals))
    return Answers(noisy.argmax(axis=1), largest)


def distilled(
    rows: LabelledRows, scores: np.ndarray, penalty: float, share: float, temperature: float
) -> LinearHead:
    """Return the head that minimises share T² CE(q_T, p_T) + (1 - share) CE(y, p) + λ/2 ‖W‖².

    Here p_T is the softmax of its scores over T, q_T that of the teacher's. Samples are scaled to a
    mean square of one, as in `logistic`, which this is but for rounding where the teacher has no
    share: all numbers are float64 here, products float32 there.

    Args:
        rows: the training samples.
        scores: (n, N) the teacher's.
        penalty: λ.
        share: weight of the teacher, from 0 to 1.
        temperature: T.
    """
    values, classes = rows.values, scores.shape[1]
    scale = np.sqrt(max(float(np.mean(np.square(values, dtype=np.float64))), 1e-300))
    inputs = (values / np.float32(scale)).astype(np.float64)
    hot, teacher = np.eye(classes)[rows.labels], softmax(scores / temperature, axis=1)

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        weights, bias = flat[:-classes].reshape(classes, -1), flat[-classes:]
        logits = inputs @ weights.T + bias
        plain, warm = log_softmax(logits, axis=1), log_softmax(logits / temperature, axis=1)
        value = -(1 - share) * (plain * hot).sum() - share * temperature**2 * (warm * teacher).sum()
        error = (1 - share) * (np.exp(plain) - hot) + share * temperature * (np.exp(warm) - teacher)
        error /= len(logits)
        slope = error.T @ inputs + penalty * weights
        objective = value / len(logits) + penalty / 2 * (weights**2).sum()
        return float(objective), np.concatenate([slope.reshape(-1), error.sum(axis=0)])

    start = np.zeros(classes * (values.shape[1] + 1))
    solution = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    return LinearHead(solution[:-classes].reshape(classes, -1) / scale, solution[-classes:])
