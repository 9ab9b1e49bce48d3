"""What is measured of clients' samples beside any run: a row for each setting and seed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from fbftl.findings.tables import BY_SEED, Column
from fbftl.ground.files import write_text
from fbftl.study.job import Job, from_params, name_of
from fbftl.training.tasks.task import ClientSamples, Inputs, client_samples

Measure = Callable[[Job, ClientSamples], Mapping[str, float]]
"""From a job of one seed and what its clients hold to values by column."""


def write_by_seed(
    csv: str,
    jobs: Sequence[Mapping[str, Any]],
    axes: Mapping[str, Mapping[str, Any]],
    inputs: Inputs,
    measure: Measure,
    columns: Sequence[Column],
) -> None:
    """Write what is measured, a row for each setting and seed, in the order of jobs and seeds.

    Args:
        csv: path of the csv.
        jobs: params of the settings.
        axes: the axes that each method knows, with their defaults.
        inputs: the methods' input files.
        measure: called for every setting and seed.
        columns: of the table: setting and seed, then what it may measure; a value that it does not
            return is empty.
    """
    names = [column.name for column in columns[len(BY_SEED) :]]
    rows = []
    for params in jobs:
        job, setting = from_params(params, axes), name_of(params["setting"])
        client_data = client_samples(job, inputs)
        for index, seed in enumerate(job.seeds):
            alone = replace(job, seeds=job.seeds[index : index + 1])
            named = {"task": job.task, "setting": setting, "seed": seed}
            rows.append(named | dict(measure(alone, client_data)))
    table = pd.DataFrame(rows, columns=["task", "setting", "seed", *names])
    table = table.astype(dict.fromkeys(names, float))
    write_text(csv, table.to_csv(index=False, lineterminator="\n"))


def beside_blind(name: str, heading: str, unit: str = "", format: str = "{:.3f}") -> list[Column]:
    """Return the column of what an attack attains, and that of the guess without it.

    Args:
        name: of the column; that of the guess has `_blind` behind it.
        heading: of the column.
        unit: of both.
        format: of their values.
    """
    return [
        Column(name, heading, unit, format),
        Column(f"{name}_blind", f"{heading}, blind guess", unit, format),
    ]
