"""Audit whole trainings: what epsilon the best attack proves, and one run with canaries in it.

Both are lower bounds. Nothing is wrong with a training whose bounds lie below what is stated.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd
from fbftl.attacks.audits.trainings import proven_in_one_run
from fbftl.attacks.head_membership import TAKING_PART
from fbftl.attacks.stated_epsilon import attained, heads_of
from fbftl.findings.runs import write_tidy
from fbftl.ground import devices
from fbftl.ground.binding import run_by_name
from fbftl.study.job import Job, from_params
from fbftl.tasks.task import Inputs, LabelledFeatures, labelled_features

ONE_RUN = "one run with canaries"

HEADS = ("private_gd", "fbftl")
"""Methods whose heads are trained again as shadows."""


def main(
    files: dict[str, str], csv: str, jobs: Sequence[dict[str, Any]], axes: dict[str, Any],
    models: int, device: str, threads: int,
) -> None:  # fmt: skip
    """Write a row per setting and audit.

    Args:
        files: feature stores of clients and public, and the description of the network.
        csv: table to write.
        jobs: the jobs whose trainings are audited.
        axes: the axes that each method knows, with their defaults.
        models: heads that are trained for membership attacks, at least four.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    inputs = Inputs.at(files, devices.prepare(device, threads))
    client_data = labelled_features(from_params(jobs[0], axes), inputs)
    rows = []
    for job_params in jobs:
        half = {"setting": job_params["setting"] | {"fraction": TAKING_PART}}
        shadows = from_params(job_params | half | {"seeds": list(range(models))}, axes)
        job = from_params(job_params, axes)
        about = {"method": job.setting.method, "mechanism": job.setting.mechanism}
        stated = job.setting.epsilon + (getattr(job.setting, "label_epsilon", None) or 0.0)
        rows += [
            about | {"epsilon": stated, "audit": audit, "least": least}
            for audit, least in audits(job, shadows, client_data)
        ]
    write_tidy(csv, pd.DataFrame(rows))


def audits(job: Job, shadows: Job, client_data: LabelledFeatures) -> Iterator[tuple[str, float]]:
    """Yield each audit of a setting with the epsilon that it proves."""
    proven = proven_in_one_run(job, client_data, job.seeds[0])
    if proven is not None:
        yield ONE_RUN, proven
    if job.setting.method in HEADS:
        membership = attained(shadows, heads_of(shadows, client_data))
        yield membership["attack"], membership["proven"]


if __name__ == "__main__":
    run_by_name(snakemake, main)
