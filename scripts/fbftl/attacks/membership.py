"""Membership inference: was a sample among those that a model was trained on?

Attacks score every candidate, larger for members; this says how well scores tell them. The loss
threshold calls a sample a member if its loss is small (Yeom et al. 2018).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from fbftl.ground.errors import UserError
from fbftl.training.samples import LabelledInputs, LabelledSamples

Floats = NDArray[np.float64]


def auc(member_scores: ArrayLike, other_scores: ArrayLike) -> float:
    """Return the probability that a random member scores above a random other sample.

    Ties count half: 0.5 is chance, 1 certainty.

    Raises:
        UserError: if either side is empty or a score is not a number.
    """
    members = np.sort(np.asarray(member_scores, dtype=np.float64))
    others = np.sort(np.asarray(other_scores, dtype=np.float64))
    if not members.size or not others.size or np.isnan([members[-1], others[-1]]).any():
        raise UserError("membership inference needs scores of members and of other samples")
    below = np.searchsorted(others, members, side="left")
    not_above = np.searchsorted(others, members, side="right")
    return float((below + not_above).mean() / (2 * others.size))


def auc_by_losses(
    logits_of: Callable[[Tensor], Tensor], members: LabelledInputs, others: LabelledInputs
) -> float:
    """Return the AUC by which a model's losses tell members from others (Yeom et al. 2018).

    Args:
        logits_of: the model, from inputs (n, ...) to logits (n, N).
        members: samples that it was trained on.
        others: samples that it was not trained on.
    """
    inside, outside = (
        -losses(logits_of(side.inputs).cpu(), side.labels.cpu()) for side in (members, others)
    )
    return auc(inside, outside)


def every(samples: LabelledSamples) -> LabelledInputs:
    """Return all of some samples at once."""
    return samples.at(np.arange(len(samples.labels)))


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
