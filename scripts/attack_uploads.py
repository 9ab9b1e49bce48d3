"""Attack messages and heads of uploads: which features are told, and who was a member.

Features are guessed from what the server sees of each client, over samples per client. Membership
is attacked by LiRA on every solved head, with heads of the victim's own trainer.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import attack_membership
import numpy as np
from fbftl.attacks.exposure import EXACT, errors, guesses, root_of_rank_one
from fbftl.attacks.findings import Finding, summary, write_findings
from fbftl.attacks.membership import Population, population
from fbftl.data.participation import clients_of
from fbftl.exchange.one_shot import seen, solve_each, tell
from fbftl.ground import devices
from fbftl.ground.logs import run_job
from fbftl.study.job import Job, from_params
from fbftl.tasks.task import HeldFeatures, Inputs, held_features

SIZES = (1, 2, 8, 32, 128)
"""Samples per client K."""

SEEN = {
    "features": "features",
    "class means, statistics or mixtures of one component": "means",
    "secure sum": "sum",
}
"""What the server sees, as `guesses` calls it."""


def main(
    inputs: Inputs, csv: str, params: Sequence[dict[str, Any]], axes: dict[str, Any], models: int
) -> None:
    """Write what the server gets.

    Args:
        inputs: feature stores of clients and public, and the description of the network.
        csv: findings to write.
        params: jobs whose heads are solved; the first one's clients are dealt anew for each K.
        axes: the axes that each method knows, with their defaults.
        models: heads that are solved for each, at least three.
    """
    plain = from_params(params[0], axes)
    held = held_features(plain, inputs)
    findings = []
    for size in SIZES:
        setting = {"method": "fbftl", "samples_per_client": size}
        findings += exposed(from_params(params[0] | {"setting": setting}, axes), held, size)
    for given in params:
        taking_part = {"fraction": attack_membership.TAKING_PART}
        own = {"seeds": list(range(models)), "setting": given["setting"] | taking_part}
        job = from_params(given | own, axes)
        who = f"{job.setting.message}, {job.setting.head}"
        for one in attack_membership.found(job, *solved(job, held)):
            findings.append(replace(one, adversary=f"{who}: {one.adversary}"))
    write_findings(csv, findings)


def exposed(job: Job, held: HeldFeatures, size: int) -> Iterator[Finding]:
    """Yield how well features are told by what the server sees of clients with K samples."""
    values, labels = held.payload.values, held.payload.labels
    blind = errors(np.broadcast_to(held.public.mean(axis=0), values.shape), values)
    for sees, called in SEEN.items():
        by_seed = [
            errors(
                guesses(called, values, labels, clients_of(job, held.holdings, seed),
                        held.payload.classes),
                values,
            )
            for seed in job.seeds
        ]  # fmt: skip
        relative = [float(np.median(own)) for own in by_seed]
        told = [float((own < EXACT).mean()) for own in by_seed]
        known = float(np.median(blind))
        yield finding(sees, size, "median error of a guessed feature", relative, known)
        yield finding(sees, size, "share of features told", told, float((blind < EXACT).mean()))
    if size == 1:
        rows = values[:: max(1, len(values) // 200)].astype(np.float64)
        roots = np.array([root_of_rank_one(np.outer(row, row)) for row in rows])
        yield finding(
            "second moments alone", 1, "median error of a guessed feature",
            [float(np.median(errors(roots, rows)))], float(np.median(blind)),
        )  # fmt: skip


def finding(sees: str, size: int, measure: str, values: Sequence[float], blind: float) -> Finding:
    """Return one number of an adversary that sees messages."""
    return Finding(
        attack="exposure",
        method="fbftl",
        adversary=f"server sees {sees}",
        mechanism="none",
        unit=None,
        epsilon=None,
        samples_per_client=size,
        measure=measure,
        blind=blind,
        **summary(values),
    )


def solved(job: Job, held: HeldFeatures) -> tuple[Population, np.ndarray]:
    """Return a setting's heads as a population, and every sample's log probability, (m, n)."""
    told = tell(job, held)
    scores = (one.head.scores(held.payload.values) for one in solve_each(job, held, told))
    members, offered = zip(*((seen(job, one), one.offered) for one in told.learned), strict=True)
    return population(scores, held.payload.labels, members, offered)


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
