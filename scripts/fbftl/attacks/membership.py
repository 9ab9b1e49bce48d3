"""Membership inference: was a sample among those that a model was trained on?

Attacks score every candidate, larger for members; this says how well scores tell them. The loss
threshold calls a sample a member if its loss is small (Yeom et al. 2018).
"""

from collections.abc import Sequence
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
    of_label, rest = log_probabilities(logits, labels)
    return of_label - rest


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
    is_label = np.arange(z.shape[1]) == np.asarray(labels)[:, None]
    total = np.logaddexp.reduce(z, axis=1)
    return z[is_label] - total, np.logaddexp.reduce(np.where(is_label, -np.inf, z), axis=1) - total


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


def pooled(targets: Sequence[Scores]) -> Scores:
    """Return the scores of several targets together."""
    return Scores(
        np.concatenate([target.member for target in targets]),
        np.concatenate([target.other for target in targets]),
    )


def least_epsilon(chosen_on: Scores, judged_on: Scores, delta: float, confidence: float) -> float:
    """Return an epsilon that a trainer's guarantee cannot lie below, at this confidence.

    Under (epsilon, delta) every test keeps true positives ≤ e^epsilon false positives + delta, and
    the same of negatives (Kairouz et al. 2015). The threshold is chosen on some targets and both
    rates are bounded on the others, each at half of the error by Clopper and Pearson. That takes
    trials as independent. Samples of one target share its model, so with several of each the
    confidence is nominal.

    Args:
        chosen_on: scores against the targets that choose the threshold.
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
    # The quantiles of scipy.stats.beta, without the second that its import takes.
    from scipy.special import betaincinv

    error = (1 - confidence) / 2
    hits, alarms = (
        len(side) - np.searchsorted(np.sort(side), thresholds, side="right")
        for side in (scores.member, scores.other)
    )
    members, others = len(scores.member), len(scores.other)
    least_hits = np.where(hits > 0, betaincinv(hits, members - hits + 1, error), 0.0)
    most_alarms = np.where(alarms < others, betaincinv(alarms + 1, others - alarms, 1 - error), 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        positives = np.log(np.maximum(least_hits - delta, 0) / most_alarms)
        negatives = np.log(np.maximum(1 - most_alarms - delta, 0) / (1 - least_hits))
    return np.maximum(positives, negatives)
