"""Which attack is quoted: chosen on some targets, judged on others, LiRA and RMIA among them.

Half of the models are *tuning* targets. On them RMIA's a is chosen, then the attack, by the mean
AUC; both are judged on the other half, which until then are shadows alone, so that neither is a
maximum over what is reported. An attack that does not exceed a guess on the tuning targets is
reported, and never chosen.

A threshold for a rate of false positives is chosen on an adversary's shadows: each of them is
attacked by the others, and the scores of samples that it never saw, pooled, have the threshold as
their quantile. The target has no part in that. What it attains there, true and false positives
alike, is counted on the target, for the two rates differ as far as the shadows mislead.

*LiRA* (Carlini et al. 2022). The target's confidence in a sample is compared with its shadows',
taken as normal: offline with those of shadows that never saw the sample, online also with those
that did. With few shadows a spread of each sample is a noisy estimate. Carlini et al. then let all
samples share one (Sec. VI), which leaves samples of large spread more false positives than those of
small spread. The alternative keeps each sample's spread and predicts by Student's t, which is what
a normal sample has around the mean of k others in units of their spread: under k - 1 degrees of
freedom the rate of false positives of every sample is the nominal one, however few its shadows. A
sample on which an adversary has too few shadows scores 0.

*RMIA* (Zarifzadeh, Liu and Shokri, ICML 2024). A candidate x is compared with many samples z that
the target was not trained on. The ratio of both likelihoods is LR(x, z) = [Pr(x|θ) / Pr(x)] /
[Pr(z|θ) / Pr(z)], where Pr(·|θ) is the probability of the sample's label under the target and Pr(·)
its mean over models with and without the sample. The score is the share of the z with LR(x, z) > γ
(Eqs. 2 and 4), which is why every target has a threshold of its own. Online, Pr(x) is the mean of
shadows with and without x. Offline there are only shadows without it, from whose mean p Pr(x) is
taken to be ((1 + a) p + 1 - a) / 2; the authors choose a on models whose members are known. As in
their public code γ is 1, the inequality is strict, and z are samples that no model was trained on.
Pr(z) is from all shadows; that code takes the larger half of their values.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from fbftl.attacks.membership import Scores, auc, least_epsilon, pooled, threshold_at
from fbftl.attacks.shadows import Floats, Normal, Population, TargetView, against

LEAST_SPREAD = 1e-12
"""Where all confidences are the same."""


def shared_spread(seen: TargetView, *, online: bool) -> Floats:
    """Score candidates (c,) with one spread for all of them, as LiRA does with few shadows."""
    outside = _distance(seen.confidence, seen.outside)
    spread_outside = _shared(seen.outside)
    if not online:
        return outside / spread_outside
    inside, spread_inside = _distance(seen.confidence, seen.inside), _shared(seen.inside)
    ratio = (
        math.log(spread_outside / spread_inside)
        + (outside / spread_outside) ** 2 / 2
        - (inside / spread_inside) ** 2 / 2
    )
    return np.where((seen.outside.count > 0) & (seen.inside.count > 0), ratio, 0.0)


def _distance(confidence: Floats, shadows: Normal) -> Floats:
    """Return by how much confidences exceed the shadows' mean, 0 where there is none."""
    return np.where(shadows.count > 0, confidence - shadows.mean, 0.0)


def _shared(shadows: Normal) -> float:
    """Return the spread of confidences around their sample's mean, pooled over all samples."""
    freedom = np.maximum(shadows.count - 1, 0).sum()
    return math.sqrt(shadows.squares.sum() / max(freedom, 1)) + LEAST_SPREAD


def spread_per_sample(seen: TargetView, *, online: bool) -> Floats:
    """Score candidates (c,) with a spread for each, predicted by Student's t.

    Offline, a score is the normal quantile of the probability that a model without the sample is
    less confident: above z lie Φ(-z) of the samples that the target never saw, whatever the number
    of shadows. Online it is the logarithm of the ratio of both predicted densities.
    """
    from scipy.special import ndtri, stdtr

    outside = _standardised(seen.confidence, seen.outside)
    freedom_outside = np.maximum(seen.outside.count - 1, 1)
    if not online:
        tail = np.maximum(stdtr(freedom_outside, -np.abs(outside)), np.finfo(float).tiny)
        return -np.sign(outside) * ndtri(tail)
    inside = _standardised(seen.confidence, seen.inside)
    ratio = _log_density(inside, seen.inside) - _log_density(outside, seen.outside)
    return np.where((seen.outside.count > 1) & (seen.inside.count > 1), ratio, 0.0)


def _scale(shadows: Normal) -> Floats:
    """Return the scale of a further confidence: its spread, and that of the mean of k."""
    count = np.maximum(shadows.count, 2)
    return np.sqrt(shadows.squares / (count - 1) * (1 + 1 / count)) + LEAST_SPREAD


def _standardised(confidence: Floats, shadows: Normal) -> Floats:
    """Return confidences in units of Student's t, 0 where fewer than two shadows tell of them."""
    return np.where(shadows.count > 1, (confidence - shadows.mean) / _scale(shadows), 0.0)


def _log_density(standardised: Floats, shadows: Normal) -> Floats:
    """Return the logarithm of the predicted density."""
    from scipy.special import gammaln

    freedom = np.maximum(shadows.count - 1, 1)
    # Few numbers of shadows occur among many samples: each needs its constant once.
    every = np.arange(1, int(freedom.max(initial=1)) + 1)
    constants = gammaln((every + 1) / 2) - gammaln(every / 2) - np.log(np.pi * every) / 2
    tail = (freedom + 1) / 2 * np.log1p(standardised**2 / freedom)
    return constants[freedom.astype(np.int64) - 1] - np.log(_scale(shadows)) - tail


GAMMA = 1.0
"""By how much a candidate has to exceed a sample z."""

OFFSETS = tuple(index / 10 for index in range(11))
"""Values of a among which one is chosen."""


def with_offset(outside: Floats, offset: float) -> Floats:
    """Return Pr(x) from the mean probability without x and a, elementwise."""
    return (1 + offset) / 2 * outside + (1 - offset) / 2


def dominated(candidates: Floats, references: Floats, gamma: float = GAMMA) -> Floats:
    """Return the share of the references whose ratio each candidate's exceeds γ times.

    Args:
        candidates: (n,) Pr(x|θ) / Pr(x).
        references: (p,) Pr(z|θ) / Pr(z).
        gamma: at least 1.
    """
    return np.searchsorted(np.sort(gamma * references), candidates, "left") / len(references)


@dataclass(frozen=True)
class Rmia:
    """The attack with its a; None where it is online."""

    offset: float | None = None

    def __call__(self, seen: TargetView) -> Floats:
        """Score candidates (c,)."""
        if self.offset is None:
            x = (seen.probability_inside + seen.probability_outside) / 2
            z = seen.unseen_probability
        else:
            x = with_offset(seen.probability_outside, self.offset)
            z = with_offset(seen.unseen_probability, self.offset)
        return dominated(seen.probability / x, seen.models.unseen_probability[seen.target] / z)


Attack = Callable[[TargetView], Floats]

CHANCE = 0.5
"""AUC of an adversary that guesses."""

ALARMS = (0.01, 0.001)
"""Rates of false positives for which thresholds are chosen."""

CONFIDENCE = 0.95
"""Of the lower bound on epsilon."""

OFFLINE_RMIA = "RMIA, offline"

ATTACKS: dict[str, Attack] = {
    "loss threshold": lambda seen: seen.confidence,
    "LiRA, offline": partial(shared_spread, online=False),
    "LiRA, online": partial(shared_spread, online=True),
    "LiRA, offline, spread per sample": partial(spread_per_sample, online=False),
    "LiRA, online, spread per sample": partial(spread_per_sample, online=True),
    "RMIA, online": Rmia(),
}
"""Attacks without a value to be chosen. A loss falls as the log odds rise."""


@dataclass(frozen=True)
class Rate:
    """What thresholds for one rate of false positives attain on each of t targets.

    hits: (t,) share of the members above the threshold.
    alarms: (t,) share of the others above it, the rate that is attained.
    """

    hits: Floats
    alarms: Floats


@dataclass(frozen=True)
class Attempt:
    """One attack on models of one trainer.

    attack: its name.
    offset: RMIA's a, None of attacks without one.
    shadows: of each target.
    tuning: (s,) AUC on each tuning target.
    aucs: (t,) AUC on each other target.
    rates: by rate of false positives, on these; not a number where fewer than ten samples of the
        shadows would lie above a threshold.
    proven: what it proves epsilon to be at least.
    """

    attack: str
    offset: float | None
    shadows: int
    tuning: Floats
    aucs: Floats
    rates: Mapping[float, Rate]
    proven: float


def chosen(attempts: Sequence[Attempt]) -> Attempt | None:
    """Return the attempt that does best on the tuning targets, None if all are mere guesses."""
    eligible = [attempt for attempt in attempts if attempt.tuning.mean() > CHANCE]
    return max(eligible, key=lambda attempt: attempt.tuning.mean(), default=None)


def attempt_all(
    models: Population, delta: float, alarms: Sequence[float] = ALARMS
) -> list[Attempt]:
    """Return what every attack attains.

    Args:
        models: m of them, at least four; even ones are tuning targets, odd ones the others.
        delta: of the guarantee that the bound on epsilon is for.
        alarms: rates of false positives for which thresholds are chosen.
    """
    everyone = range(len(models.confidence))
    views = [against(models, target, without(everyone, target)) for target in everyone]
    # RMIA's a has the largest mean AUC on the tuning targets, the smallest of equals.
    means = [
        aucs_of([scores_of(Rmia(each), seen) for seen in views[::2]]).mean() for each in OFFSETS
    ]
    offset = OFFSETS[int(np.argmax(means))]
    attacks = ATTACKS | {OFFLINE_RMIA: Rmia(offset)}
    thresholds = [thresholds_for(attacks, seen, alarms) for seen in views[1::2]]
    attempts = []
    for name, attack in attacks.items():
        scores = [scores_of(attack, seen) for seen in views]
        tuning, quoted = scores[::2], scores[1::2]
        rates = {
            rate: rate_of(quoted, [of_target[name, rate] for of_target in thresholds])
            for rate in alarms
        }
        attempts.append(
            Attempt(
                attack=name,
                offset=offset if name == OFFLINE_RMIA else None,
                shadows=len(everyone) - 1,
                tuning=aucs_of(tuning),
                aucs=aucs_of(quoted),
                rates=rates,
                proven=least_epsilon(pooled(tuning), pooled(quoted), delta, CONFIDENCE),
            )
        )
    return attempts


def without(models: Sequence[int], left_out: int) -> list[int]:
    """Return all models but one."""
    return [model for model in models if model != left_out]


def scores_of(attack: Attack, seen: TargetView) -> Scores:
    """Return an attack's scores of the target's members and of samples that it never saw."""
    scores, models = attack(seen), seen.models
    return Scores(scores[models.member[seen.target]], scores[models.other[seen.target]])


def aucs_of(targets: Sequence[Scores]) -> Floats:
    """Return the AUC on each target."""
    return np.array([auc(scores.member, scores.other) for scores in targets])


def thresholds_for(
    attacks: Mapping[str, Attack], seen: TargetView, alarms: Sequence[float]
) -> dict[tuple[str, float], float | None]:
    """Return each attack's threshold for each rate, chosen on the shadows against one target."""
    models = seen.models
    rehearsals = [
        TargetView(
            models, shadow, without(seen.shadows, shadow), np.flatnonzero(models.other[shadow])
        )
        for shadow in seen.shadows
    ]
    thresholds = {}
    for name, attack in attacks.items() if alarms else ():
        others = np.concatenate([attack(each) for each in rehearsals])
        thresholds |= {(name, rate): threshold_at(others, rate) for rate in alarms}
    return thresholds


def rate_of(targets: Sequence[Scores], thresholds: Sequence[float | None]) -> Rate:
    """Return what each target's threshold attains on it."""
    shares = [
        (np.nan, np.nan)
        if threshold is None
        else ((scores.member > threshold).mean(), (scores.other > threshold).mean())
        for scores, threshold in zip(targets, thresholds, strict=True)
    ]
    return Rate(*map(np.array, zip(*shares, strict=True)))
