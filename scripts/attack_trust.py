"""Hold what noise states against LiRA: what epsilon is proven to be at least, setting by setting.

Every client has one sample, so that a member is a sample and not the eight that a client sends.
The adversary sees heads alone, trained or solved as the victim's was on halves of the samples.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from attack_membership import CONFIDENCE, TAKING_PART, trained
from attack_uploads import solved
from fbftl.attacks.membership import (
    Population,
    against_each,
    lira,
    population,
    proven_epsilon,
    separation,
)
from fbftl.data.participation import clients_of, participating
from fbftl.exchange.trusted import noise_of
from fbftl.findings.runs import write_tidy
from fbftl.ground import devices
from fbftl.ground.logs import run_job
from fbftl.study.job import Job, from_params, name_of
from fbftl.study.release import noise_seed
from fbftl.tasks.task import HeldFeatures, Inputs, held_features

ONE_EACH = {"fraction": TAKING_PART, "samples_per_client": 1}
"""Who takes part: half of the clients, of one sample each."""


def main(
    inputs: Inputs, csv: str, params: Sequence[dict[str, Any]], axes: dict[str, Any], models: int
) -> None:
    """Write a row per setting: its name, LiRA's AUC, and the epsilon that it proves.

    Args:
        inputs: feature stores of clients and public, and the description of the network.
        csv: table to write.
        params: the jobs whose mechanisms are attacked.
        axes: the axes that each method knows, with their defaults.
        models: heads that are made under each, at least four.
    """
    held = held_features(from_params(params[0], axes), inputs)
    rows = []
    for given in params:
        made = given["block"].get("one_shot")
        # Masks change no sum, so that no more than one message need be made.
        block = given["block"] | ({} if made is None else {"one_shot": made | {"made": 1}})
        own = {"seeds": list(range(models)), "setting": given["setting"] | ONE_EACH}
        job = from_params(given | own | {"block": block}, axes)
        rows.append({"setting": name_of(given["setting"]), **attained(job, heads_of(job, held))})
    write_tidy(csv, pd.DataFrame(rows))


def heads_of(job: Job, held: HeldFeatures) -> Population:
    """Return the heads that a setting comes to, as a population."""
    if job.setting.method == "private_gd":
        return descended(job, held)
    if "one_shot" in job.block:
        return solved(job, held)[0]
    return trained(job, held)[0]


def descended(job: Job, held: HeldFeatures) -> Population:
    """Return the heads of private descent on the samples that take part."""
    client = [clients_of(job, held.holdings, seed) for seed in job.seeds]
    rows = [
        participating(own, job.setting.fraction, seed)
        for own, seed in zip(client, job.seeds, strict=True)
    ]
    noise = np.repeat(noise_of(job).multipliers[:, None], len(job.seeds), axis=1)
    heads = held.private(job, job.seeds, rows, noise, [noise_seed(job, seed) for seed in job.seeds])
    logits = heads.logits(heads.samples).cpu().numpy()
    return population(logits, held.payload.labels, rows, rows)[0]


def attained(job: Job, models: Population) -> dict[str, float | int]:
    """Return what LiRA attains against the heads of one setting."""
    victims = against_each(models, lira(models, online=True))
    aucs = [separation(victim.member, victim.other).auc for victim in victims]
    proven = proven_epsilon(victims, job.privacy.delta, CONFIDENCE)
    return {"auc": float(np.mean(aucs)), "proven": proven, "heads": len(victims)}


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
