"""What attacks prove of heads under a stated guarantee: how small its epsilon cannot be.

The adversary sees heads alone, trained or solved as the target's was on halves of the samples. The
attack is chosen on some heads and quoted on the others.
"""

from typing import Any

import numpy as np

from fbftl.attacks.choice import attempt_all, chosen
from fbftl.attacks.head_membership import GUESS, trained
from fbftl.attacks.shadows import Population, population
from fbftl.attacks.solved_heads import solved
from fbftl.data.participation import clients_of, participating
from fbftl.ground.errors import required
from fbftl.methods.private_gd.heads import private_heads
from fbftl.methods.private_gd.server import noise_of
from fbftl.privacy.release import noise_seed
from fbftl.study.job import Job
from fbftl.tasks.task import LabelledFeatures


def heads_of(job: Job, client_data: LabelledFeatures) -> Population:
    """Return the heads that a setting comes to, as a population."""
    if job.setting.method == "private_gd":
        return descended(job, client_data)
    if job.setting.method == "one_shot":
        return solved(job, client_data)
    return trained(job, client_data)


def descended(job: Job, client_data: LabelledFeatures) -> Population:
    """Return the heads of private descent on the samples that take part."""
    client = [clients_of(job, client_data.partition, seed) for seed in job.seeds]
    rows = [
        participating(owners, job.setting.fraction, seed)
        for owners, seed in zip(client, job.seeds, strict=True)
    ]
    noise = np.repeat(noise_of(job).multipliers[:, None], len(job.seeds), axis=1)
    heads = private_heads(
        client_data, job, job.seeds, rows, noise, [noise_seed(job, seed) for seed in job.seeds]
    )
    logits, unseen = (
        heads.logits(samples).cpu().numpy() for samples in (heads.samples, heads.test)
    )
    labels, labels_of_test = (
        samples.labels.cpu().numpy() for samples in (heads.samples, heads.test)
    )
    return population(logits, labels, rows, rows, unseen, labels_of_test)


def attained(job: Job, models: Population) -> dict[str, Any]:
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
