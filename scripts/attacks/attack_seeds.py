"""Attack what the frameworks' clients send in every seed, for pairs of settings by seed."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from fbftl.attacks.frameworks import ATTACKS, first_of_kinds
from fbftl.findings.tables import Column, write_table
from fbftl.ground import devices
from fbftl.ground.binding import run_by_name
from fbftl.study.job import from_params, name_of
from fbftl.tasks.task import Inputs, client_samples

KINDS = {
    "membership": "Membership, AUC",
    "label_recovery": "Labels right",
    "inversion": "Seeds, mean squared error",
    "reconstruction": "Samples, mean squared error",
}
"""What is attacked, by column."""

COLUMNS = [
    Column("setting", "Setting"),
    Column("seed", "Seed", format="{:.0f}"),
    *(
        column
        for name, title in KINDS.items()
        for column in (
            Column(name, title, format="{:.3f}"),
            Column(f"{name}_blind", "Blind guess", format="{:.3f}"),
        )
    ),
]


def main(
    files: Mapping[str, str], csv: str, jobs: Sequence[Mapping[str, Any]], axes: dict[str, Any],
    device: str, threads: int,
) -> None:  # fmt: skip
    """Write what the first attack of each kind attains; md, tex and html go beside the csv.

    Args:
        files: paths of the methods' input files by name.
        csv: path of the csv, a row for each setting and seed.
        jobs: the settings whose messages are attacked.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    inputs = Inputs.at(files, devices.prepare(device, threads))
    rows = []
    for params in jobs:
        job = from_params(params, axes)
        client_data, attack = client_samples(job, inputs), ATTACKS[job.setting.method]
        of_setting = {"task": job.task, "setting": name_of(params["setting"])}
        for index, seed in enumerate(job.seeds):
            alone = replace(job, seeds=job.seeds[index : index + 1])
            rows.append(of_setting | {"seed": seed} | first_of_kinds(attack(alone, client_data)))
    of_kinds = [column.name for column in COLUMNS[2:]]
    table = pd.DataFrame(rows, columns=["task", "setting", "seed", *of_kinds])
    write_table(csv, table.astype(dict.fromkeys(of_kinds, float)), COLUMNS)


if __name__ == "__main__":
    run_by_name(snakemake, main)
