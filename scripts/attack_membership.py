"""Attack the trained head: was a sample among the uploads that it was trained on?

The adversary trains as the victim does, on halves of the clients drawn as the victim's was, and
every one of these heads is in turn the victim of the others. The head attacked is that of the last
epoch, which has memorised most.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from fbftl.attacks.findings import Finding, summary, write_findings
from fbftl.attacks.membership import (
    Population,
    against_each,
    lira,
    pooled,
    population,
    proven_epsilon,
    separation,
    threshold_at,
)
from fbftl.exchange.sending import Sending
from fbftl.ground import devices
from fbftl.ground.logs import run_job
from fbftl.methods.fbftl import Fitted, fit
from fbftl.privacy.noise import clip_rows
from fbftl.study.job import Job, from_params
from fbftl.tasks.task import HeldFeatures, Inputs, held_features

TAKING_PART = 0.5
"""Fraction of the clients whose samples are members."""

CHANCE = 0.5
"""AUC of an adversary that guesses."""

ALARMS = (0.01, 0.001)
"""Rates of false positives at which true positives are told."""

CONFIDENCE = 0.95
"""Of the lower bound on epsilon."""

AT_ONCE = 2**30
"""Bytes of features under which heads step together: noise makes those of every head its own."""


def main(
    inputs: Inputs, csv: str, params: Sequence[dict[str, Any]], axes: dict[str, Any], models: int
) -> None:
    """Write what loss threshold and LiRA find.

    Args:
        inputs: feature stores of clients and public, and the description of the network.
        csv: findings to write.
        params: the FbFTL jobs whose heads are attacked.
        axes: the axes that each method knows, with their defaults.
        models: heads that are trained for each, at least three.
    """
    findings = []
    for given in params:
        own = {
            "seeds": list(range(models)),
            "setting": given["setting"] | {"fraction": TAKING_PART},
        }
        job = from_params(given | own, axes)
        findings += found(job, *trained(job, held_features(job, inputs)))
    write_findings(csv, findings)


def trained(job: Job, held: HeldFeatures) -> tuple[Population, np.ndarray]:
    """Return a head per seed as a population, and every sample's log probability under each.

    Args:
        job: the setting.
        held: what the clients hold.

    Returns:
        The population, and (m, n) of its m heads.
    """
    logits, trained_on, offered = [], [], []
    together = max(1, AT_ONCE // held.payload.values.nbytes)
    for first in range(0, len(job.seeds), together):
        some = replace(job, seeds=job.seeds[first : first + together])
        (fitted,) = fit([some], held)
        values = clean(fitted.sent.how)
        logits += [answers(fitted, place, values) for place in range(len(some.seeds))]
        trained_on += [rows for rows, _ in fitted.sent.split()]
        offered += [own.offered for own in fitted.sent.uploads]
    return population(logits, held.payload.labels, trained_on, offered)


def found(job: Job, models: Population, own: np.ndarray) -> list[Finding]:
    """Return what each adversary attains against the heads of one setting.

    Args:
        job: the setting.
        models: its heads.
        own: (m, n) log probability of each sample's label.
    """
    adversaries = {
        "loss threshold": own,
        "LiRA, offline": lira(models, online=False),
        "LiRA, online": lira(models, online=True),
    }
    findings = []
    for name, scores in adversaries.items():
        victims = against_each(models, scores)
        aucs = [separation(victim.member, victim.other).auc for victim in victims]
        findings.append(finding(job, name, "AUC", CHANCE, aucs))
        for alarms in ALARMS:
            threshold = threshold_at(pooled(victims).other, alarms)
            hits = [
                np.nan if threshold is None else (victim.member > threshold).mean()
                for victim in victims
            ]
            measure = f"true positives at {alarms:.1%} false ones"
            findings.append(finding(job, name, measure, alarms, hits))
    # Rates that hold with confidence come from the last adversary, the strongest.
    bound = proven_epsilon(victims, job.privacy.delta or 0.0, CONFIDENCE)
    measure = f"ε is at least, with {CONFIDENCE:.0%} confidence"
    return [*findings, finding(job, name, measure, 0.0, [bound])]


def finding(
    job: Job, adversary: str, measure: str, blind: float, values: Sequence[float]
) -> Finding:
    """Return one adversary's success over the victims."""
    return Finding(
        attack="membership",
        method="fbftl",
        adversary=adversary,
        mechanism=job.setting.mechanism,
        unit="sample" if job.setting.epsilon else None,
        epsilon=job.setting.epsilon,
        samples_per_client=None,
        measure=measure,
        blind=blind,
        **summary(values),
    )


def clean(how: Sending) -> np.ndarray:
    """Return all features as the server would use them if there were no noise."""
    values = how.payload.values
    if how.clip_norm is not None:
        values = clip_rows(values, how.clip_norm)
    return how.scale(how.payload.numbers) * values


@torch.no_grad()
def answers(fitted: Fitted, place: int, values: np.ndarray) -> np.ndarray:
    """Return one seed's logits (n, classes) on features (n, width)."""
    head = fitted.fits[place].head
    return head(torch.from_numpy(values)[None].to(head.device))[0].cpu().numpy()


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            Inputs.at(dict(job.input.items()), devices.prepare(job.config["device"], job.threads)),
            job.output.csv,
            job.params.jobs,
            job.config["axes"],
            job.params.models,
        ),
    )
