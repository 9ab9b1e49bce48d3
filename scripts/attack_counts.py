"""Attack the counts of ECOS: was a row among them, beside a blind guess and the stated epsilon."""

from collections.abc import Sequence
from typing import Any

from fbftl.attacks.counts import KNOWLEDGE, told
from fbftl.attacks.findings import Finding, summary, write_findings
from fbftl.exchange.outsourcing import Market, guarantees_of, noise_of
from fbftl.ground import devices
from fbftl.ground.logs import run_job
from fbftl.study.job import from_params
from fbftl.tasks.task import Inputs, held_features
from fbftl.training.coverage import nearest

DRAWS = 20_000
"""Worlds with a victim for each seed, and as many without."""

CONFIDENCE = 0.95


def main(inputs: Inputs, csv: str, params: Sequence[dict[str, Any]], axes: dict[str, Any]) -> None:
    """Write what the server learns of a client's rows.

    Args:
        inputs: feature stores of clients and public.
        csv: findings to write.
        params: jobs whose counts are attacked.
        axes: the axes that each method knows, with their defaults.
    """
    jobs = [from_params(own, axes) for own in params]
    held = held_features(jobs[0], inputs)
    market = Market(held, held.public_rows)
    findings = []
    for job in jobs:
        clusters = [market.clusters(job.setting.centroids, seed) for seed in job.seeds]
        near = [nearest(held.payload.values, own.centroids) for own in clusters]
        guarantee = guarantees_of(job)[0]
        for adversary, knows in KNOWLEDGE.items():
            found = [
                told(
                    own, job.setting.sampling, noise_of(job), knows, DRAWS, seed,
                    job.privacy.delta or 0.0, CONFIDENCE,
                )
                for own, seed in zip(near, job.seeds, strict=True)
            ]  # fmt: skip
            measures = {
                "AUC": (0.5, [one.auc for one in found]),
                f"ε is at least, with {CONFIDENCE:.0%} confidence": (
                    0.0,
                    [one.epsilon for one in found],
                ),
            }
            findings += [
                Finding(
                    attack="membership in counts",
                    method="ecos",
                    adversary=f"server, {adversary}",
                    mechanism=job.setting.mechanism,
                    unit=guarantee.unit,
                    epsilon=guarantee.epsilon,
                    samples_per_client=None,
                    measure=measure,
                    blind=blind,
                    **summary(values),
                )
                for measure, (blind, values) in measures.items()
            ]
    write_findings(csv, findings)


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            Inputs.at(dict(job.input.items()), devices.prepare(job.config["device"], job.threads)),
            job.output.csv,
            job.params.jobs,
            job.config["axes"],
        ),
    )
