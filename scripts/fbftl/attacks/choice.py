"""Which attack is quoted: chosen on some targets, judged on others.

Half of the models are *tuning* targets. On them RMIA's a is chosen, then the attack, by the mean
AUC; both are judged on the other half, which until then are shadows alone, so that neither is a
maximum over what is reported. An attack that does not exceed a guess on the tuning targets is
reported, and never chosen.

A threshold for a rate of false positives is chosen on an adversary's shadows: each of them is
attacked by the others, and the scores of samples that it never saw, pooled, have the threshold as
their quantile. The target has no part in that. What it attains there, true and false positives
alike, is counted on the target, for the two rates differ as far as the shadows mislead.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from fbftl.attacks.likelihood_ratios import OFFSETS, Rmia, shared_spread, spread_per_sample
from fbftl.attacks.membership import Scores, auc, least_epsilon, pooled, threshold_at
from fbftl.attacks.shadows import Floats, Population, TargetView, against

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
    offset = best_offset(views[::2])
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


def best_offset(tuning: Sequence[TargetView]) -> float:
    """Return RMIA's a with the largest mean AUC on the tuning targets, the smallest of equals."""
    means = [
        aucs_of([scores_of(Rmia(offset), seen) for seen in tuning]).mean() for offset in OFFSETS
    ]
    return OFFSETS[int(np.argmax(means))]


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
