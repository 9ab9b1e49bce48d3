"""Attack heads of uploads of few bits and elements: was a sample among those that they learned?

Heads are made as the server makes them, one after the other, by its perceptron or in closed form.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from fbftl.attacks.choice import attempt_all
from fbftl.attacks.heads import on_halves, rows_of, solved
from fbftl.findings.runs import write_tidy
from fbftl.ground import devices
from fbftl.ground.floats import FLOAT_BITS
from fbftl.study.job import KnownAxes, from_params
from fbftl.training.tasks.task import Inputs, labelled_features


def main(
    files: dict[str, str], by_attack: str, jobs: Sequence[dict[str, Any]], axes: dict[str, Any],
    models: int, device: str, threads: int,
) -> None:  # fmt: skip
    """Write what every attack attains.

    Args:
        files: feature stores of clients, and the description of the network.
        by_attack: table to write, a row per upload and attack.
        jobs: those whose heads are attacked.
        axes: the axes that each method knows, with their defaults.
        models: heads that are made for each, at least four.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    inputs = Inputs.at(files, devices.prepare(device, threads))
    client_data = labelled_features(from_params(jobs[0], axes), inputs)
    rows: list[dict[str, Any]] = []
    for params in jobs:
        job = on_halves(params, axes, models)
        attempts = attempt_all(solved(job, client_data), job.privacy.delta or 0.0)
        rows += [{"head": upload_of(job.setting)} | row for row in rows_of(job, attempts)]
    write_tidy(by_attack, pd.DataFrame(rows))


def upload_of(setting: KnownAxes) -> str:
    """Return message and head, and what is not sent of it."""
    parts = [setting.message, setting.head]
    parts += [f"{setting.bits} bits"] if setting.bits != FLOAT_BITS else []
    parts += [f"{setting.keep:.0%} of the elements"] if setting.keep != 1 else []
    return ", ".join(parts)
