"""Pick lengths and sizes of the frameworks whose folder has `candidates.py`.

By the rule that picks a head (`fbftl.training.choice`): the smallest within one standard error of
the best validation accuracy. Validation samples are a fifth of the open ones, and of those that the
clients hold. No test sample, no other framework and no claim is looked at.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from fbftl.findings.columns import SEEDS
from fbftl.findings.tables import Column, ResultTable
from fbftl.ground import devices
from fbftl.ground.logs import log
from fbftl.methods import by_name
from fbftl.study.job import from_params
from fbftl.tasks.task import Inputs, client_samples
from fbftl.training.choice import least_within_error

COLUMNS = [
    Column("method", "Method"),
    Column("candidate", "Candidate"),
    Column("size", "Steps, rate or dimensions", format="{:g}"),
    Column("length", "Passes or rounds", format="{:.0f}"),
    Column("validation", "Validation accuracy", format="{:.2%}"),
    Column("error", "Standard error", format="{:.2%}"),
    SEEDS,
    Column("picked", "Picked"),
]


def main(
    files: Mapping[str, str], jobs: Sequence[dict[str, Any]], axes: dict[str, Any],
    seeds: int, device: str, threads: int,
) -> ResultTable:  # fmt: skip
    """Return what the rule finds.

    Args:
        files: paths of the methods' input files by name.
        jobs: the clean settings of such frameworks.
        axes: the axes that each method knows, with their defaults.
        seeds: seeds of the rule.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    inputs = Inputs.at(files, devices.prepare(device, threads))
    rows = []
    for params in jobs:
        params = params | {"seeds": list(range(seeds))}
        client_data = client_samples(from_params(params, axes), inputs)
        method = params["setting"]["method"]
        for question in by_name.candidates(method):
            tried = list(question(params, axes, client_data))
            sizes = [candidate.size for candidate in tried]
            picked = least_within_error(sizes, [candidate.accuracy for candidate in tried])
            rows += [
                {"method": method} | candidate.row | {"picked": "yes" if index == picked else ""}
                for index, candidate in enumerate(tried)
            ]
    for row in rows:
        if row["picked"]:
            log.info("%s: %s, %d", row["method"], row["candidate"], row["length"])
    return ResultTable(pd.DataFrame(rows), COLUMNS)
