"""Hold what noise states against membership attacks: what epsilon they prove it to be at least.

Every client has one sample, so that a member is a sample and not the eight that a client sends.
The adversary sees heads alone, trained or solved as the target's was on halves of the samples. The
attack is chosen on some heads and quoted on the others.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from fbftl.attacks.choice import attempt_all, chosen
from fbftl.attacks.head_membership import GUESS, TAKING_PART, trained
from fbftl.attacks.shadows import Population, population
from fbftl.attacks.solved_heads import solved
from fbftl.data.participation import clients_of, participating
from fbftl.findings.runs import write_tidy
from fbftl.ground import devices
from fbftl.ground.binding import run_by_name
from fbftl.methods.private_gd.heads import private_heads
from fbftl.methods.private_gd.server import noise_of
from fbftl.study.job import Job, from_params, name_of
from fbftl.study.release import noise_seed
from fbftl.tasks.task import Inputs, LabelledFeatures, labelled_features

ONE_EACH = {"fraction": TAKING_PART, "samples_per_client": 1}
"""Who takes part: half of the clients, of one sample each."""


def main(
    files: dict[str, str], csv: str, jobs: Sequence[dict[str, Any]], axes: dict[str, Any],
    models: int, device: str, threads: int,
) -> None:  # fmt: skip
    """Write a row per setting: its name, the attack chosen, its AUC and the epsilon that it proves.

    Args:
        files: feature stores of clients and public, and the description of the network.
        csv: table to write.
        jobs: the jobs whose mechanisms are attacked.
        axes: the axes that each method knows, with their defaults.
        models: heads that are made under each, at least four.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    inputs = Inputs.at(files, devices.prepare(device, threads))
    client_data = labelled_features(from_params(jobs[0], axes), inputs)
    rows = []
    for job_params in jobs:
        one_shot = job_params["block"].get("one_shot")
        # Masks change no sum, so that no more than one message need be made.
        block = job_params["block"] | (
            {} if one_shot is None else {"one_shot": one_shot | {"made": 1}}
        )
        changes = {"seeds": list(range(models)), "setting": job_params["setting"] | ONE_EACH}
        job = from_params(job_params | changes | {"block": block}, axes)
        rows.append(
            {"setting": name_of(job_params["setting"]), **attained(job, heads_of(job, client_data))}
        )
    write_tidy(csv, pd.DataFrame(rows))


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
    attempts = attempt_all(models, job.privacy.delta, alarms=())
    best = chosen(attempts)
    return {
        "attack": GUESS if best is None else best.attack,
        "auc": np.nan if best is None else float(best.aucs.mean()),
        "proven": 0.0 if best is None else best.proven,
        "targets": len(attempts[0].aucs),
        "shadows": attempts[0].shadows,
    }


if __name__ == "__main__":
    run_by_name(snakemake, main)
