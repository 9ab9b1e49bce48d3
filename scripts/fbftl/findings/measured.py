"""What is measured of clients' samples beside any run: a row for each setting and seed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from fbftl.ground.files import write_text
from fbftl.study.job import Job, from_params, name_of
from fbftl.tasks.task import ClientSamples, Inputs, client_samples

Measure = Callable[[Job, ClientSamples], Mapping[str, float]]
"""From a job of one seed and what its clients hold to values by column."""


def write_by_seed(
    csv: str,
    jobs: Sequence[Mapping[str, Any]],
    axes: Mapping[str, Mapping[str, Any]],
    inputs: Inputs,
    measure: Measure,
    names: Sequence[str],
) -> None:
    """Write what is measured, a row for each setting and seed, in the order of jobs and seeds.

    Args:
        csv: path of the csv.
        jobs: params of the settings.
        axes: the axes that each method knows, with their defaults.
        inputs: the methods' input files.
        measure: called for every setting and seed.
        names: columns of what it may measure; a value that it does not return is empty.
    """
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


def beside_blind(*names: str) -> list[str]:
    """Return the columns of what attacks attain, each before that of the guess without it."""
    return [column for name in names for column in (name, f"{name}_blind")]
