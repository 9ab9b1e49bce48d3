"""Attack what the frameworks' clients send in every seed, for pairs of settings by seed."""

from collections.abc import Mapping, Sequence
from typing import Any

from fbftl.attacks.of_method import attacked, first_of_kinds
from fbftl.findings.measured import beside_blind, write_by_seed
from fbftl.ground import devices
from fbftl.study.job import Job
from fbftl.tasks.task import ClientSamples, Inputs

COLUMNS = beside_blind(
    "membership", "membership_of_average", "label_recovery", "inversion", "reconstruction"
)


def main(
    files: Mapping[str, str], csv: str, jobs: Sequence[Mapping[str, Any]], axes: dict[str, Any],
    device: str, threads: int,
) -> None:  # fmt: skip
    """Write what the first attack of each kind attains.

    Args:
        files: paths of the methods' input files by name.
        csv: path of the csv, a row for each setting and seed.
        jobs: the settings whose messages are attacked.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    inputs = Inputs.at(files, devices.prepare(device, threads))
    write_by_seed(csv, jobs, axes, inputs, first_attacks, COLUMNS)


def first_attacks(job: Job, client_data: ClientSamples) -> dict[str, float]:
    """Return what the first attack of each kind attains on a job's messages, and blindly."""
    return first_of_kinds(attacked(job, client_data))
