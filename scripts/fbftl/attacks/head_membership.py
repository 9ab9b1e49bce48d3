"""Membership in heads: was a sample among the uploads that a head was trained on?

The adversary trains as the target's server does, on halves of the clients drawn as the target's
was, and every one of these heads is in turn the target of the others. The head attacked is that of
the last epoch, which has memorised most.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from fbftl.attacks.choice import ALARMS, CHANCE, CONFIDENCE, Attempt, chosen
from fbftl.attacks.findings import Finding, summary
from fbftl.attacks.shadows import Population, population
from fbftl.exchange.sending import Sending
from fbftl.methods.fbftl.run import Fitted, send_and_train
from fbftl.privacy.noise import clip_rows
from fbftl.study.job import Job
from fbftl.tasks.task import LabelledFeatures

TAKING_PART = 0.5
"""Fraction of the clients whose samples are members."""

AT_ONCE = 2**30
"""Bytes of features under which heads step together: noise makes those of every head its own."""

GUESS = "none better than a guess"
"""What is quoted if no attack is."""


def trained(job: Job, client_data: LabelledFeatures) -> Population:
    """Return a head per seed as a population; samples that no head has seen are the test split.

    Args:
        job: the setting.
        client_data: what the clients hold.
    """
    logits, unseen, trained_on, offered = [], [], [], []
    test, labels_of_test = test_split(client_data)
    together = max(1, AT_ONCE // client_data.payload.values.nbytes)
    for first in range(0, len(job.seeds), together):
        some = replace(job, seeds=job.seeds[first : first + together])
        (fitted,) = send_and_train([some], client_data)
        values, unseen_values = (
            clean(fitted.sent.how, each) for each in (client_data.payload.values, test)
        )
        logits += [answers(fitted, index, values) for index in range(len(some.seeds))]
        unseen += [answers(fitted, index, unseen_values) for index in range(len(some.seeds))]
        trained_on += [rows for rows, _ in fitted.sent.split()]
        offered += [upload.offered for upload in fitted.sent.uploads]
    labels = client_data.payload.labels
    return population(logits, labels, trained_on, offered, unseen, labels_of_test)


def test_split(client_data: LabelledFeatures) -> tuple[np.ndarray, np.ndarray]:
    """Return the test split's features (p, X) and labels (p,)."""
    test = client_data.test
    return test.inputs.cpu().numpy(), test.labels.cpu().numpy()


def rows_of(job: Job, attempts: Sequence[Attempt]) -> list[dict[str, Any]]:
    """Return a row per attack of what it attains against the heads of one setting.

    Means and spreads are over the targets on which the attack was not chosen.
    """
    best = chosen(attempts)
    return [
        protection(job)
        | {
            "attack": attempt.attack,
            "offset": attempt.offset,
            "tuning_auc": float(attempt.tuning.mean()),
            **_mean_and_spread("auc", attempt.aucs),
            **{
                column: value
                for rate, attained in attempt.rates.items()
                for name, values in (("hits", attained.hits), ("alarms", attained.alarms))
                for column, value in _mean_and_spread(f"{name}_{rate:g}", values).items()
            },
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


def _mean_and_spread(name: str, values: np.ndarray) -> dict[str, float]:
    over_targets = summary(values)
    return {name: float(over_targets["value"]), f"{name}_spread": float(over_targets["spread"])}


def membership_findings(job: Job, attempts: Sequence[Attempt]) -> list[Finding]:
    """Return what the attack that was chosen attains against the heads of one setting.

    Without the attack there is a guess: an AUC of one half, and as many true positives as the
    threshold has false ones on the targets.
    """
    best = chosen(attempts)
    if best is None:
        nothing = np.full(len(attempts[0].aucs), np.nan)
        return [finding(job, attempts[0], GUESS, "AUC", CHANCE, nothing)]
    measures: list[tuple[str, float, Sequence[float] | np.ndarray]] = [("AUC", CHANCE, best.aucs)]
    for rate in ALARMS:
        attained = best.rates[rate]
        measure = f"true positives, threshold for {rate:.1%} false ones"
        measures.append((measure, float(attained.alarms.mean()), attained.hits))
    measures.append(
        (f"ε of a client is at least, with {CONFIDENCE:.0%} confidence", 0.0, [best.proven])
    )
    return [finding(job, best, best.attack, *measure) for measure in measures]


def finding(
    job: Job,
    attempt: Attempt,
    attack: str,
    measure: str,
    blind: float,
    values: Sequence[float] | np.ndarray,
) -> Finding:
    """Return one measure of an attack's success over the targets."""
    return Finding(
        attack="membership",
        method="fbftl",
        adversary=f"{attack}; {attempt.shadows} shadows",
        samples_per_client=None,
        measure=measure,
        blind=blind,
        **protection(job),
        **summary(values),
    )


def clean(how: Sending, values: np.ndarray) -> np.ndarray:
    """Return features (n, X) as the server would use them if there were no noise."""
    if how.clip_norm is not None:
        values = clip_rows(values, how.clip_norm)
    return how.scale(how.payload.numbers) * values


@torch.no_grad()
def answers(fitted: Fitted, index: int, values: np.ndarray) -> np.ndarray:
    """Return one seed's logits (n, classes) on features (n, width)."""
    head = fitted.fits[index].head
    return head(torch.from_numpy(values)[None].to(head.device))[0].cpu().numpy()
