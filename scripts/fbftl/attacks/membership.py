"""Membership inference: was a sample among those that the head was trained on?

Attacks score every candidate, larger for members. The loss threshold calls a sample a member if its
loss is small (Yeom et al. 2018). LiRA (Carlini et al. 2022) compares the victim's confidence with
that of models which the adversary trained as the victim was, each on a random half of the clients:
*offline* with those that never saw the sample, *online* also with those that did. With m models
every one is in turn the victim of the others, so that small rates of false positives can be told.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fbftl.ground.errors import UserError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Membership:
    """How well scores tell members from others: 0.5 and 0 are chance, 1 and 1 certainty.

    auc: probability that a random member scores above a random other sample; ties count half.
    advantage: largest true positive rate minus false positive rate over all thresholds.
    """

    auc: float
    advantage: float


def separation(member_scores: ArrayLike, other_scores: ArrayLike) -> Membership:
    """Measure how well scores, larger for members, separate members from others.

    Raises:
        UserError: if either side is empty or a score is not a number.
    """
    members = np.sort(np.asarray(member_scores, dtype=np.float64))
    others = np.sort(np.asarray(other_scores, dtype=np.float64))
    if not members.size or not others.size or np.isnan([members[-1], others[-1]]).any():
        raise UserError("membership inference needs scores of members and of other samples")
    below = np.searchsorted(others, members, side="left")
    not_above = np.searchsorted(others, members, side="right")
    auc = (below + not_above).mean() / (2 * others.size)
    thresholds = np.concatenate([members, others])
    hits = 1 - np.searchsorted(members, thresholds) / members.size
    alarms = 1 - np.searchsorted(others, thresholds) / others.size
    return Membership(float(auc), float(max((hits - alarms).max(), 0.0)))


def losses(logits: ArrayLike, labels: ArrayLike) -> Floats:
    """Return each sample's cross entropy in nats from logits (n, N) and labels (n,)."""
    return -log_probabilities(logits, labels)[0]


def confidence(logits: ArrayLike, labels: ArrayLike) -> Floats:
    """Return each sample's log odds of its own label, ln p/(1-p), which are near normal."""
    own, rest = log_probabilities(logits, labels)
    return own - rest


RULED_OUT = 20.0
"""By how many nats the logit of a class that is never predicted lies below all others."""


def log_probabilities(logits: ArrayLike, labels: ArrayLike) -> tuple[Floats, Floats]:
    """Return ln p of the own label and ln of all others together, under the softmax.

    A class that a solved head never predicts, its logit minus infinity, counts as `RULED_OUT`.
    """
    z = np.asarray(logits, dtype=np.float64)
    never = np.isneginf(z)
    if never.any():
        least = np.where(never, np.inf, z).min(axis=1, keepdims=True)
        z = np.where(never, np.where(np.isinf(least), 0.0, least) - RULED_OUT, z)
    own = np.arange(z.shape[1]) == np.asarray(labels)[:, None]
    total = np.logaddexp.reduce(z, axis=1)
    return z[own] - total, np.logaddexp.reduce(np.where(own, -np.inf, z), axis=1) - total


@dataclass(frozen=True)
class Population:
    """Models of one trainer, with who was in whose training set.

    confidence: (m, n) log odds of every sample's label under every model.
    member: (m, n) whether the model was trained on the sample.
    other: (m, n) whether its client stayed away; a sample held out for validation is neither.
    """

    confidence: Floats
    member: NDArray[np.bool_]
    other: NDArray[np.bool_]


def lira(models: Population, online: bool) -> Floats:
    """Score every sample against every model in turn, (m, n), larger for members.

    Confidences are taken as normal around a mean per sample; with few models a spread per sample
    is too noisy, so all samples share one. A sample that no other model can tell of scores 0.

    Args:
        models: at least three.
        online: whether the adversary also trains models on the sample itself.
    """
    outside, error_out = _elsewhere(models.confidence, models.other)
    if not online:
        return (models.confidence - outside) / error_out
    inside, error_in = _elsewhere(models.confidence, models.member)
    return ((models.confidence - outside) / error_out) ** 2 / 2 - (
        (models.confidence - inside) / error_in
    ) ** 2 / 2


def _elsewhere(confidence: Floats, chosen: NDArray[np.bool_]) -> tuple[Floats, float]:
    """Return mean confidence (m, n) over the other chosen models, and the spread around it.

    Where no other model was chosen the mean is the model's own confidence, which says nothing.
    """
    count = chosen.sum(axis=0) - chosen
    total = (confidence * chosen).sum(axis=0) - confidence * chosen
    mean = np.where(count > 0, total / np.maximum(count, 1), confidence)
    own = chosen & (count > 0)
    # A model's distance from the mean of k others has 1 + 1/k times its variance.
    squares = (confidence - mean)[own] ** 2 * (count / (count + 1.0))[own]
    return mean, float(np.sqrt(squares.sum() / max(own.sum(), 1)) + 1e-12)


LEAST_ALARMS = 10
"""False positives that a rate of true positives rests on at least."""

THRESHOLDS = 1001
"""Quantiles of all scores among which a threshold is chosen."""


def threshold_at(other_scores: ArrayLike, alarms: float) -> float | None:
    """Return the score above which lies a share `alarms` of the others.

    None if that share is fewer than `LEAST_ALARMS` samples.
    """
    others = np.sort(np.asarray(other_scores, dtype=np.float64))
    allowed = int(alarms * len(others))
    return None if allowed < LEAST_ALARMS else float(others[-allowed - 1])


@dataclass(frozen=True)
class Scores:
    """Scores of members and of others, larger for members."""

    member: Floats
    other: Floats


def population(
    logits: Iterable[ArrayLike],
    labels: np.ndarray,
    learned: Sequence[np.ndarray],
    offered: Sequence[np.ndarray],
) -> tuple[Population, Floats]:
    """Return models as a population, and the log probability of each sample's label, (m, n).

    Args:
        logits: (n, N) of every sample under each of m models.
        labels: (n,) the samples' labels.
        learned: rows that each model learned, its members.
        offered: rows whose owners took part in each; all others are strangers to it.
    """
    own, rest = zip(*(log_probabilities(one, labels) for one in logits), strict=True)
    everyone = np.arange(len(labels))
    models = Population(
        confidence=np.stack(own) - np.stack(rest),
        member=np.stack([np.isin(everyone, rows) for rows in learned]),
        other=np.stack([~np.isin(everyone, rows) for rows in offered]),
    )
    return models, np.stack(own)


def against_each(models: Population, scores: Floats) -> list[Scores]:
    """Return the scores (m, n) of every sample against each model as its victim."""
    return [
        Scores(own[member], own[other])
        for own, member, other in zip(scores, models.member, models.other, strict=True)
    ]


def pooled(victims: Sequence[Scores]) -> Scores:
    """Return the scores of several victims together."""
    return Scores(
        np.concatenate([victim.member for victim in victims]),
        np.concatenate([victim.other for victim in victims]),
    )


def proven_epsilon(victims: Sequence[Scores], delta: float, confidence: float) -> float:
    """Return what scores against victims prove epsilon to be at least, see `least_epsilon`."""
    return least_epsilon(pooled(victims[::2]), pooled(victims[1::2]), delta, confidence)


def least_epsilon(chosen_on: Scores, judged_on: Scores, delta: float, confidence: float) -> float:
    """Return an epsilon that a trainer's guarantee cannot lie below, at this confidence.

    Under (epsilon, delta) every test keeps true positives ≤ e^epsilon false positives + delta, and
    the same of negatives (Kairouz et al. 2015). The threshold is chosen on one half of the victims
    and both rates are bounded on the other, each at half of the error by Clopper and Pearson.

    Args:
        chosen_on: scores against the victims that choose the threshold.
        judged_on: scores against the others.
        delta: of the guarantee.
        confidence: probability with which the bound holds, below 1.
    """
    both = np.concatenate([chosen_on.member, chosen_on.other])
    thresholds = np.unique(np.quantile(both, np.linspace(0, 1, THRESHOLDS), method="lower"))
    best = int(_bounds(chosen_on, thresholds, delta, confidence).argmax())
    return float(max(_bounds(judged_on, thresholds[best : best + 1], delta, confidence)[0], 0.0))


def _bounds(scores: Scores, thresholds: Floats, delta: float, confidence: float) -> Floats:
    """Return the bound on epsilon that each threshold (t,) gives, minus infinity for none."""
    from scipy.stats import beta

    error = (1 - confidence) / 2
    hits, alarms = (
        len(side) - np.searchsorted(np.sort(side), thresholds, side="right")
        for side in (scores.member, scores.other)
    )
    members, others = len(scores.member), len(scores.other)
    least_hits = np.where(hits > 0, beta.ppf(error, hits, members - hits + 1), 0.0)
    most_alarms = np.where(alarms < others, beta.ppf(1 - error, alarms + 1, others - alarms), 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        positives = np.log(np.maximum(least_hits - delta, 0) / most_alarms)
        negatives = np.log(np.maximum(1 - most_alarms - delta, 0) / (1 - least_hits))
    return np.maximum(positives, negatives)
