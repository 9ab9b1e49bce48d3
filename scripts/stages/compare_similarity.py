"""Compare indices of similarity: how often each finds the network that learnt the same labels."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from fbftl.findings.indices import INDICES, shares_matched
from fbftl.findings.tables import Column, write_table
from fbftl.ground import devices
from fbftl.ground.binding import run_by_name
from fbftl.study.job import from_params, name_of
from fbftl.tasks.task import Inputs, client_samples

TITLES = {
    "cka": "s-CKA",
    "biased_cka": "Biased CKA",
    "cca": "CCA",
    "regression": "Linear regression",
}

COLUMNS = [
    Column("setting", "Setting"),
    Column("seed", "Seed", format="{:.0f}"),
    *(Column(f"matched_{name}", TITLES[name], format="{:.2f}") for name in INDICES),
]


def main(
    files: Mapping[str, str], csv: str, jobs: Sequence[Mapping[str, Any]], axes: dict[str, Any],
    device: str, threads: int,
) -> None:  # fmt: skip
    """Write the table; md, tex and html go beside the csv.

    Args:
        files: paths of the methods' input files by name.
        csv: path of the csv, a row for each setting and seed.
        jobs: the settings whose networks are compared.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    inputs = Inputs.at(files, devices.prepare(device, threads))
    rows = []
    for params in jobs:
        job = from_params(params, axes)
        client_data = client_samples(job, inputs)
        for seed in job.seeds:
            shares = shares_matched(job, client_data, seed)
            named = {"task": job.task, "setting": name_of(params["setting"]), "seed": seed}
            rows.append(named | {f"matched_{name}": share for name, share in shares.items()})
    write_table(csv, pd.DataFrame(rows), COLUMNS)


if __name__ == "__main__":
    run_by_name(snakemake, main)
