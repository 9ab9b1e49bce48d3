"""Membership inference: was a sample among those that the head was trained on?

Two attacks. The loss threshold calls a sample a member if its loss is small (Yeom et al. 2018).
The shadow attack compares its confidence with that of heads which the adversary trained without
it (see `shadow`), which takes out how easy a sample is by itself (offline LiRA, Carlini et al.
2022).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fbftl.ground.errors import UserError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Membership:
    """How well scores tell members from others: 0.5 and 0 are chance, 1 and 1 certainty."""

    auc: float
    """Probability that a random member scores above a random other sample; ties count half."""
    advantage: float
    """Largest true positive rate minus false positive rate over all thresholds."""


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


def log_probabilities(logits: ArrayLike, labels: ArrayLike) -> tuple[Floats, Floats]:
    """Return ln p of the own label and ln of all others together, under the softmax."""
    z = np.asarray(logits, dtype=np.float64)
    own = np.arange(z.shape[1]) == np.asarray(labels)[:, None]
    total = np.logaddexp.reduce(z, axis=1)
    return z[own] - total, np.logaddexp.reduce(np.where(own, -np.inf, z), axis=1) - total


def shadow_scores(logits: ArrayLike, shadow_logits: ArrayLike, labels: ArrayLike) -> Floats:
    """Score how much more confident the target is than heads that never saw the sample.

    Args:
        logits: the target's logits, shape (n, N).
        shadow_logits: logits of m heads trained without these samples, shape (m, n, N).
        labels: true labels, shape (n,).
    """
    target = confidence(logits, labels)
    shadows = np.stack([confidence(z, labels) for z in np.asarray(shadow_logits)])
    # With few heads a spread per sample is too noisy, so all samples share one.
    spread = np.sqrt(shadows.var(axis=0).mean()) + 1e-12
    return (target - shadows.mean(axis=0)) / spread
