"""Labels of a cloud's rows by private kNN, and a linear head that learns from a teacher's scores.

Every query has a Poisson sample of the client's rows of its own. Its votes are those of the K
nearest sampled rows, by class, under Gaussian noise; its confidence is their largest number, under
a noise of its own. A row that is added, removed or replaced has one row less and one row more among
the K: it moves the votes by √2 in L2 norm and the confidence by one.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from fbftl.ground.randomness import stream
from fbftl.messages.statistics import LabelledRows
from fbftl.training.closed_form import LinearHead
from fbftl.training.logistic import STEPS

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
