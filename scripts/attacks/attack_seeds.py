"""Attack what the frameworks' clients send in every seed, for pairs of settings by seed."""

from collections.abc import Mapping, Sequence
from typing import Any

from fbftl.attacks.of_method import attacked, first_of_kinds
from fbftl.findings.measured import beside_blind, write_by_seed
from fbftl.findings.tables import BY_SEED
from fbftl.ground import devices
from fbftl.training.tasks.task import Inputs

KINDS = {
    "membership": "Membership, AUC",
    "membership_of_average": "Membership by a client, AUC",
    "label_recovery": "Labels right",
    "inversion": "Seed samples, mean squared error",
    "reconstruction": "Samples, mean squared error",
}
"""What is attacked, by column."""

COLUMNS = [
    *BY_SEED,
    *(column for name, title in KINDS.items() for column in beside_blind(name, title)),
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
    write_by_seed(csv, jobs, axes, inputs, lambda *of: first_of_kinds(attacked(*of)), COLUMNS)
