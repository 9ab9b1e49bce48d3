"""Attack the counts of ECOS: was a row among them, beside a blind guess and the stated epsilon."""

from collections.abc import Sequence
from typing import Any

from fbftl.attacks.counts import KNOWLEDGE, recognise
from fbftl.attacks.findings import found, write_findings
from fbftl.ground import devices
from fbftl.methods.ecos.coverage import nearest
from fbftl.methods.ecos.public_rows import PublicPool, public_rows
from fbftl.methods.ecos.sampling import guarantees_of, noise_of
from fbftl.study.job import from_params
from fbftl.tasks.task import Inputs, client_features

DRAWS = 20_000
"""Worlds with a victim for each seed, and as many without."""

CONFIDENCE = 0.95


def main(
    files: dict[str, str], csv: str, jobs: Sequence[dict[str, Any]], axes: dict[str, Any],
    device: str, threads: int,
) -> None:  # fmt: skip
    """Write what the server learns of a client's rows.

    Args:
        files: feature stores of clients and public.
        csv: findings to write.
        jobs: those whose counts are attacked.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    inputs = Inputs.at(files, devices.prepare(device, threads))
    client_data = client_features(from_params(jobs[0], axes), inputs)
    pool = PublicPool(client_data, public_rows(inputs.public_manifest))
    findings = []
    for job in (from_params(job_params, axes) for job_params in jobs):
        clusters = [pool.clusters(job.setting.centroids, seed) for seed in job.seeds]
        near = [
            nearest(client_data.payload.values, clustering.centroids) for clustering in clusters
        ]
        guarantee = guarantees_of(job)[0]
        for adversary, knows in KNOWLEDGE.items():
            recognised = [
                recognise(
                    cluster, job.setting.count_sampling, noise_of(job), knows, DRAWS, seed,
                    job.privacy.delta or 0.0, CONFIDENCE,
                )
                for cluster, seed in zip(near, job.seeds, strict=True)
            ]  # fmt: skip
            context = {
                "attack": "membership in counts",
                "method": "ecos",
                "adversary": f"server, {adversary}",
                "mechanism": job.setting.mechanism,
                "unit": guarantee.unit,
                "epsilon": guarantee.epsilon,
            }
            proven = f"ε is at least, with {CONFIDENCE:.0%} confidence"
            findings += [
                found([each.auc for each in recognised], 0.5, measure="AUC", **context),
                found([each.epsilon for each in recognised], 0.0, measure=proven, **context),
            ]
    write_findings(csv, findings)
