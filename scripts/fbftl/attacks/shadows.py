"""What an adversary with models of its own has against one model: its shadows' confidences.

All models are trained alike, each on a random half of the clients. One of them is the target; the
adversary knows who was in the training sets of the others, its *shadows*, and nothing of who was in
the target's. With m models every one is a target in turn, with the others as shadows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fbftl.attacks.membership import confidence

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Population:
    """Models of one trainer, with who was in whose training set.

    confidence: (m, n) log odds of every sample's label under every model.
    member: (m, n) whether the model was trained on the sample.
    other: (m, n) whether its client stayed away; a sample held out for validation is neither.
    unseen: (m, p) log odds of the labels of samples that no model was trained on.
    """

    confidence: Floats
    member: NDArray[np.bool_]
    other: NDArray[np.bool_]
    unseen: Floats

    @cached_property
    def probability(self) -> Floats:
        """(m, n) probability of every sample's label."""
        return expit(self.confidence)

    @cached_property
    def unseen_probability(self) -> Floats:
        """(m, p) probability of the unseen samples' labels."""
        return expit(self.unseen)

    @cached_property
    def centre(self) -> Floats:
        """(n,) median confidence, around which sums of squares lose no digits to an outlier."""
        return np.median(self.confidence, axis=0)

    @cached_property
    def inside(self) -> "ShadowSums":
        """Of models that were trained on a sample."""
        return ShadowSums.of(self, self.member)

    @cached_property
    def outside(self) -> "ShadowSums":
        """Of models that a sample's client stayed away from."""
        return ShadowSums.of(self, self.other)


@dataclass(frozen=True, eq=False)
class ShadowSums:
    """What is summed over models, (m, n) each; 0 where a model does not count for a sample."""

    count: Floats
    confidence: Floats
    square: Floats
    probability: Floats

    @classmethod
    def of(cls, models: Population, chosen: NDArray[np.bool_]) -> "ShadowSums":
        """Return the summands of the models that are chosen (m, n) for each sample."""
        counted = chosen.astype(np.float64)
        centred = (models.confidence - models.centre) * counted
        return cls(counted, centred, centred**2, models.probability * counted)


def expit(log_odds: Floats) -> Floats:
    """Return probabilities from log odds, above 0 so that a ratio of two of them is a number."""
    return np.maximum(np.exp(-np.logaddexp(0.0, -log_odds)), np.finfo(np.float64).tiny)


def population(
    logits: Iterable[ArrayLike],
    labels: np.ndarray,
    learned: Sequence[np.ndarray],
    offered: Sequence[np.ndarray],
    unseen_logits: Iterable[ArrayLike],
    unseen_labels: np.ndarray,
) -> Population:
    """Return models as a population.

    Args:
        logits: (n, N) of every sample under each of m models.
        labels: (n,) the samples' labels.
        learned: rows that each model learned, its members.
        offered: rows whose owners took part in each; all others are strangers to it.
        unseen_logits: (p, N) of samples that no model learned, under each.
        unseen_labels: (p,) their labels.
    """
    everyone = np.arange(len(labels))
    return Population(
        confidence=np.stack([confidence(each, labels) for each in logits]),
        member=np.stack([np.isin(everyone, rows) for rows in learned]),
        other=np.stack([~np.isin(everyone, rows) for rows in offered]),
        unseen=np.stack([confidence(each, unseen_labels) for each in unseen_logits]),
    )


@dataclass(frozen=True)
class Normal:
    """Confidences of each sample under some shadows, as a normal distribution has them.

    count: (n,) how many shadows.
    mean: (n,) of their confidences; 0 where there is none.
    squares: (n,) sum of squared deviations from that mean.
    """

    count: Floats
    mean: Floats
    squares: Floats


@dataclass(frozen=True, eq=False)
class TargetView:
    """One target as an adversary sees it, beside the shadows that it trained.

    models: all of them.
    target: the index of the model that is attacked.
    shadows: (k,) those that the adversary trained.
    candidates: (c,) the samples that are scored.
    """

    models: Population
    target: int
    shadows: Sequence[int]
    candidates: NDArray[np.int64]

    @cached_property
    def confidence(self) -> Floats:
        """(c,) log odds of every candidate's label under the target."""
        return self.models.confidence[self.target, self.candidates]

    @cached_property
    def probability(self) -> Floats:
        """(c,) probability of every candidate's label under the target."""
        return self.models.probability[self.target, self.candidates]

    @cached_property
    def inside(self) -> Normal:
        """Of each candidate, under the shadows that were trained on it."""
        return self._normal(self.models.inside)

    @cached_property
    def outside(self) -> Normal:
        """Of each candidate, under the shadows that its client stayed away from."""
        return self._normal(self.models.outside)

    @cached_property
    def probability_inside(self) -> Floats:
        """(c,) mean probability of each candidate's label under shadows trained on it."""
        return self._mean_probability(self.inside, self.models.inside)

    @cached_property
    def probability_outside(self) -> Floats:
        """(c,) mean probability of a candidate's label under shadows without its client.

        Without such a shadow it is the target's, which tells nothing.
        """
        return self._mean_probability(self.outside, self.models.outside)

    @cached_property
    def unseen_probability(self) -> Floats:
        """(p,) mean probability of the unseen samples' labels under all shadows."""
        return self._weights @ self.models.unseen_probability / len(self.shadows)

    def _normal(self, summands: ShadowSums) -> Normal:
        count, total, squares = (
            self._sum(each) for each in (summands.count, summands.confidence, summands.square)
        )
        centred = total / np.maximum(count, 1)
        mean = np.where(count > 0, self.models.centre[self.candidates] + centred, 0.0)
        return Normal(count, mean, np.maximum(squares - count * centred**2, 0.0))

    def _mean_probability(self, shadows: Normal, summands: ShadowSums) -> Floats:
        mean = self._sum(summands.probability) / np.maximum(shadows.count, 1)
        return np.where(shadows.count > 0, mean, self.probability)

    @cached_property
    def _weights(self) -> Floats:
        """(m,) 1 for shadows: one product sums over them without a copy of their rows."""
        weights = np.zeros(len(self.models.confidence))
        weights[list(self.shadows)] = 1.0
        return weights

    def _sum(self, values: Floats) -> Floats:
        """Return the sum over the shadows of each candidate's column of (m, n)."""
        return (self._weights @ values)[self.candidates]


def against(models: Population, target: int, shadows: Sequence[int]) -> TargetView:
    """Return a target as an adversary with these shadows sees it, on every sample."""
    return TargetView(models, target, shadows, np.arange(models.confidence.shape[1]))
