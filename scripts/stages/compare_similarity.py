"""Compare indices of similarity: how often each finds the network that learnt the same labels."""

from collections.abc import Mapping, Sequence
from typing import Any

from fbftl.findings.measured import write_by_seed
from fbftl.findings.tables import BY_SEED, Column
from fbftl.ground import devices
from fbftl.methods.fedvote.index_comparison import INDICES, shares_matched
from fbftl.study.job import Job
from fbftl.training.tasks.task import ClientSamples, Inputs

TITLES = {
    "cka": "s-CKA",
    "biased_cka": "Biased CKA",
    "cca": "CCA",
    "regression": "Linear regression",
}

COLUMNS = [
    *BY_SEED,
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
    write_by_seed(csv, jobs, axes, inputs, matched_shares, COLUMNS)


def matched_shares(job: Job, client_data: ClientSamples) -> dict[str, float]:
    """Return the share that each index matches with the networks of a job's one seed."""
    (seed,) = job.seeds
    shares = shares_matched(job, client_data, seed)
    return {f"matched_{name}": share for name, share in shares.items()}
