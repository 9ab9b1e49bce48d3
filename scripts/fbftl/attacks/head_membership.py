"""What attacks on heads find: was a sample among the uploads that a head was trained on?"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fbftl.attacks.choice import ALARMS, CHANCE, CONFIDENCE, Attempt, attempt_all, chosen
from fbftl.attacks.findings import Finding, found, summary
from fbftl.attacks.shadows import Population
from fbftl.ground.errors import required
from fbftl.study.job import Job

GUESS = "none better than a guess"
"""What is quoted if no attack is."""


def rows_of(job: Job, attempts: Sequence[Attempt]) -> list[dict[str, Any]]:
    """Return a row per attack of what it attains against the heads of one setting.

    Means and spreads are over the targets on which the attack was not chosen.
    """
    best = chosen(attempts)
    return [
        {
            **protection(job),
            "attack": attempt.attack,
            "offset": attempt.offset,
            "tuning_auc": float(attempt.tuning.mean()),
            **_means_and_spreads(attempt),
            "proven": attempt.proven,
            "targets": len(attempt.aucs),
            "shadows": attempt.shadows,
            "quoted": attempt is best,
        }
        for attempt in attempts
    ]


def protection(job: Job) -> dict[str, Any]:
    """Return what noise a setting has, as findings tell it."""
    epsilon = job.setting.epsilon
    return {
        "mechanism": job.setting.mechanism,
        "unit": "sample" if epsilon else None,
        "epsilon": epsilon,
    }


def proven(job: Job, models: Population) -> dict[str, Any]:
    """Return what the attack chosen on some heads of a setting attains against the others.

    Without an attack better than a guess nothing is proven.
    """
    attempts = attempt_all(models, required(job.privacy.delta), alarms=())
    best = chosen(attempts)
    return {
        "attack": GUESS if best is None else best.attack,
        "auc": np.nan if best is None else float(best.aucs.mean()),
        "proven": 0.0 if best is None else best.proven,
        "targets": len(attempts[0].aucs),
        "shadows": attempts[0].shadows,
    }


def _means_and_spreads(attempt: Attempt) -> dict[str, float]:
    """Return what an attack attains over the targets, by column."""
    measured = {"auc": attempt.aucs}
    for rate, attained in attempt.rates.items():
        measured |= {f"hits_{rate:g}": attained.hits, f"alarms_{rate:g}": attained.alarms}
    columns: dict[str, float] = {}
    for name, values in measured.items():
        over_targets = summary(values)
        columns |= {name: over_targets["value"], f"{name}_spread": over_targets["spread"]}
    return columns


def membership_findings(job: Job, attempts: Sequence[Attempt]) -> list[Finding]:
    """Return what the attack that was chosen attains against the heads of one setting.

    Without the attack there is a guess: an AUC of one half, and as many true positives as the
    threshold has false ones on the targets.
    """
    best = chosen(attempts)
    if best is None:
        nothing = np.full(len(attempts[0].aucs), np.nan)
        return [finding(job, attempts[0], GUESS, "AUC", CHANCE, nothing)]
    measures: list[tuple[str, float, ArrayLike]] = [("AUC", CHANCE, best.aucs)]
    for rate in ALARMS:
        attained = best.rates[rate]
        measure = f"true positives, threshold for {rate:.1%} false ones"
        measures.append((measure, float(attained.alarms.mean()), attained.hits))
    measures.append(
        (f"ε of a client is at least, with {CONFIDENCE:.0%} confidence", 0.0, [best.proven])
    )
    return [finding(job, best, best.attack, *measure) for measure in measures]


def finding(
    job: Job, attempt: Attempt, attack: str, measure: str, blind: float, values: ArrayLike
) -> Finding:
    """Return one measure of an attack's success over the targets."""
    adversary = f"{attack}; {attempt.shadows} shadows"
    return found(
        values, blind, attack="membership", method="fbftl", adversary=adversary, measure=measure,
        **protection(job),
    )  # fmt: skip
