"""Attack messages and heads of uploads: which features are told, and who was a member.

Features are guessed from what the server sees of each client, over samples per client. Membership
is attacked on every solved head, with heads of the target's trainer.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from fbftl.attacks.attained import Finding, found, write_findings
from fbftl.attacks.choice import attempt_all
from fbftl.attacks.heads import membership_findings, on_halves, rows_of, solved
from fbftl.attacks.label_recovery import EXACT, errors, guesses, root_of_rank_one
from fbftl.data.participation import clients_of
from fbftl.findings.runs import write_tidy
from fbftl.ground import devices
from fbftl.study.job import Job, from_params
from fbftl.training.tasks.task import Inputs, LabelledFeatures, labelled_features

SIZES = (1, 2, 8, 32, 128)
"""Samples per client K."""

SEEN = {
    "features": "features",
    "class means, statistics or mixtures of one component": "means",
    "secure sum": "sum",
}
"""What the server sees, as `guesses` calls it."""


def main(
    files: dict[str, str], csv: str, by_attack: str, jobs: Sequence[dict[str, Any]],
    axes: dict[str, Any], models: int, device: str, threads: int,
) -> None:  # fmt: skip
    """Write what the server gets.

    Args:
        files: feature stores of clients and public, and the description of the network.
        csv: findings to write.
        by_attack: table to write, a row per solved head and attack on its members.
        jobs: those whose heads are solved; the first one's clients are dealt anew for each K.
        axes: the axes that each method knows, with their defaults.
        models: heads that are solved for each, at least four.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    inputs = Inputs.at(files, devices.prepare(device, threads))
    client_data = labelled_features(from_params(jobs[0], axes), inputs)
    findings: list[Finding] = []
    rows: list[dict[str, Any]] = []
    for size in SIZES:
        setting = {"method": "fbftl", "samples_per_client": size}
        findings += exposed(from_params(jobs[0] | {"setting": setting}, axes), client_data, size)
    for job_params in jobs:
        job = on_halves(job_params, axes, models)
        who = f"{job.setting.message}, {job.setting.head}"
        attempts = attempt_all(solved(job, client_data), job.privacy.delta or 0.0)
        for result in membership_findings(job, attempts):
            findings.append(replace(result, adversary=f"{who}: {result.adversary}"))
        rows += [{"head": who} | row for row in rows_of(job, attempts)]
    write_findings(csv, findings)
    write_tidy(by_attack, pd.DataFrame(rows))


def exposed(job: Job, client_data: LabelledFeatures, size: int) -> Iterator[Finding]:
    """Yield how well features are told by what the server sees of clients with K samples."""
    payload = client_data.payload
    values, labels = payload.values, payload.labels
    blind = errors(np.broadcast_to(client_data.public.mean(axis=0), values.shape), values)
    for sees, called in SEEN.items():
        clients = [clients_of(job, client_data.partition, seed) for seed in job.seeds]
        by_seed = [
            errors(guesses(called, values, labels, client, payload.classes), values)
            for client in clients
        ]
        relative = [float(np.median(seed_errors)) for seed_errors in by_seed]
        exactly = [float((seed_errors < EXACT).mean()) for seed_errors in by_seed]
        blind_error = float(np.median(blind))
        yield finding(sees, size, "median error of a guessed feature", relative, blind_error)
        yield finding(sees, size, "share of features told", exactly, float((blind < EXACT).mean()))
    if size == 1:
        rows = values[:: max(1, len(values) // 200)].astype(np.float64)
        roots = np.array([root_of_rank_one(np.outer(row, row)) for row in rows])
        yield finding(
            "second moments alone", 1, "median error of a guessed feature",
            [float(np.median(errors(roots, rows)))], float(np.median(blind)),
        )  # fmt: skip


def finding(sees: str, size: int, measure: str, values: Sequence[float], blind: float) -> Finding:
    """Return one number of an adversary that sees messages."""
    return found(
        values, blind, attack="exposure", method="fbftl", adversary=f"server sees {sees}",
        samples_per_client=size, measure=measure,
    )  # fmt: skip
