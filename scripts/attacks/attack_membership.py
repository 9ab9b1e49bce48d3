"""Attack the trained head: was a sample among the uploads that it was trained on?"""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from fbftl.attacks.attained import Finding, write_findings
from fbftl.attacks.choice import attempt_all
from fbftl.attacks.heads import membership_findings, on_halves, rows_of, trained
from fbftl.findings.runs import write_tidy
from fbftl.ground import devices
from fbftl.training.tasks.task import Inputs, labelled_features


def main(
    files: dict[str, str], csv: str, by_attack: str, jobs: Sequence[dict[str, Any]],
    axes: dict[str, Any], models: int, device: str, threads: int,
) -> None:  # fmt: skip
    """Write what the chosen attack finds, and what every attack attains.

    Args:
        files: feature stores of clients and public, and the description of the network.
        csv: findings to write.
        by_attack: table to write, a row per setting and attack.
        jobs: the FbFTL jobs whose heads are attacked.
        axes: the axes that each method knows, with their defaults.
        models: heads that are trained for each, at least four.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    inputs = Inputs.at(files, devices.prepare(device, threads))
    findings: list[Finding] = []
    rows: list[dict[str, Any]] = []
    for job_params in jobs:
        job = on_halves(job_params, axes, models)
        heads = trained(job, labelled_features(job, inputs))
        attempts = attempt_all(heads, job.privacy.delta or 0.0)
        findings += membership_findings(job, attempts)
        rows += rows_of(job, attempts)
    write_findings(csv, findings)
    write_tidy(by_attack, pd.DataFrame(rows))
