"""Attack what the frameworks' clients send: models, votes, scores, logits, samples, gradients."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from fbftl.attacks.of_method import attacked
from fbftl.findings.tables import Column, ResultTable
from fbftl.ground import devices
from fbftl.ground.logs import log
from fbftl.study.job import from_params, name_of
from fbftl.training.tasks.task import Inputs, client_samples

COLUMNS = [
    Column("method", "Method"),
    Column("axes", "Setting"),
    Column("attack", "Attack"),
    Column("adversary", "Adversary"),
    Column("measure", "Measure"),
    Column("value", "Attained", format="{:.3f}"),
    Column("spread", "±", format="{:.3f}"),
    Column("blind", "Blind guess", format="{:.3f}"),
    Column("repetitions", "Victims"),
]


def main(
    files: Mapping[str, str], jobs: Sequence[Mapping[str, Any]], axes: dict[str, Any],
    device: str, threads: int,
) -> ResultTable:  # fmt: skip
    """Return what adversaries find.

    Args:
        files: paths of the methods' input files by name.
        jobs: the settings whose messages are attacked.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    inputs = Inputs.at(files, devices.prepare(device, threads))
    rows = []
    for params in jobs:
        job, deviations = from_params(params, axes), params["setting"]
        axis_text = ", ".join(f"{k} {v}" for k, v in deviations.items() if k != "method")
        named = {"method": job.setting.method, "axes": axis_text, "setting": name_of(deviations)}
        for attained in attacked(job, client_samples(job, inputs)):
            if attained.fails:
                log.warning("%s: %s falls below its blind guess", named["setting"], attained.attack)
            rows.append(named | attained.row)
    return ResultTable(pd.DataFrame(rows), COLUMNS)
