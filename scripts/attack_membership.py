"""Attack the trained head: was a sample among the uploads that it was trained on?

Half of the clients take part; the samples of the others are the adversary's: some are candidates
beside the members, the rest trains its shadow heads. The head attacked is that of the last epoch,
which has memorised most.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from fbftl.attacks.findings import Finding, summary, write_findings
from fbftl.attacks.membership import Membership, losses, separation, shadow_scores
from fbftl.attacks.shadow import ShadowTraining, shadow_logits
from fbftl.data.participation import participating
from fbftl.exchange.sending import Sending
from fbftl.ground import devices
from fbftl.ground.logs import run_job
from fbftl.ground.randomness import stream
from fbftl.methods.fbftl import Fitted, fit
from fbftl.privacy.noise import clip_rows
from fbftl.study.job import Job, from_params
from fbftl.tasks.task import Inputs

TAKING_PART = 0.5
"""Fraction of the clients whose samples are members."""

CHANCE = 0.5
"""AUC of an adversary that guesses."""


def main(
    manifest: str, network: str, public_manifest: str, csv: str,
    params: Sequence[dict[str, Any]], axes: dict[str, Any], device: str, threads: int,
) -> None:  # fmt: skip
    """Write what loss threshold and shadow heads find.

    Args:
        manifest: of the clients' feature store.
        network: description of the network.
        public_manifest: of the public feature store.
        csv: findings to write.
        params: the FbFTL jobs whose heads are attacked.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    inputs = Inputs(
        manifest=Path(manifest),
        network=Path(network),
        public_manifest=Path(public_manifest),
        device=devices.prepare(device, threads),
    )
    findings = []
    for given in params:
        half = given | {"setting": given["setting"] | {"fraction": TAKING_PART}}
        job = from_params(half, axes)
        (fitted,) = fit([job], inputs)
        attacks = [attacked(fitted, place) for place in range(len(job.seeds))]
        findings += [finding(job, name, [found[name] for found in attacks]) for name in attacks[0]]
    write_findings(csv, findings)


def finding(job: Job, adversary: str, found: Sequence[Membership]) -> Finding:
    """Return one adversary's success over the seeds."""
    return Finding(
        attack="membership",
        method="fbftl",
        adversary=adversary,
        mechanism=job.setting.mechanism,
        unit="sample" if job.setting.epsilon else None,
        epsilon=job.setting.epsilon,
        samples_per_client=None,
        measure="AUC",
        blind=CHANCE,
        **summary([membership.auc for membership in found]),
    )


def attacked(fitted: Fitted, place: int) -> dict[str, Membership]:
    """Attack one seed's head with both attacks; return what each finds."""
    how = fitted.how
    seed = how.job.seeds[place]
    labels = how.labels(seed)
    members = fitted.rows[place]
    others, pool = outsiders(how, seed)
    candidates = np.concatenate([members, others])
    values = clean(how)[candidates]
    logits = answers(fitted, place, values)
    shadows = shadow_logits(
        how.scale * how.noised(seed, draw=1)[pool],
        labels[pool],
        values,
        classes=how.classes,
        seed=seed,
        training=ShadowTraining(models=4, hidden=how.job.head, steps=50),
        device=fitted.head.device,
    )
    scores = {
        "loss threshold": -losses(logits, labels[candidates]),
        "shadow heads": shadow_scores(logits, shadows, labels[candidates]),
    }
    return {
        name: separation(score[: len(members)], score[len(members) :])
        for name, score in scores.items()
    }


def outsiders(how: Sending, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of candidates that are no members, and rows that the adversary trains on.

    Rows that were uploaded but held out for validation are neither.
    """
    client = how.clients(seed)
    offered = participating(client, how.job.setting.fraction, seed)
    free = np.setdiff1d(np.arange(len(client)), offered)
    order = stream(seed, "membership").permutation(free)
    return order[: len(order) // 2], order[len(order) // 2 :]


def clean(how: Sending) -> np.ndarray:
    """Return all features as the server would use them if there were no noise."""
    values = how.features.values
    return how.scale * (values if how.clip_norm is None else clip_rows(values, how.clip_norm))


@torch.no_grad()
def answers(fitted: Fitted, place: int, values: np.ndarray) -> np.ndarray:
    """Return one seed's logits (n, classes) on features (n, width)."""
    head = fitted.head.at(slice(place, place + 1))
    return head(torch.from_numpy(values)[None].to(head.device))[0].cpu().numpy()


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            job.input.manifest,
            job.input.network,
            job.input.public_manifest,
            job.output.csv,
            job.params.jobs,
            job.config["axes"],
            job.config["device"],
            job.threads,
        ),
    )
