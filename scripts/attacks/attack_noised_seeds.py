"""Attack the features that FedFeat+'s clients send in every seed, for pairs by seed.

What the server does after the last round is in `fbftl.attacks.noised_features`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fbftl.attacks.inversion import AttackedImages, columns_of
from fbftl.attacks.noised_features import read_by_server
from fbftl.findings.measured import beside_blind, write_by_seed
from fbftl.findings.tables import BY_SEED
from fbftl.ground import devices
from fbftl.study.job import Job
from fbftl.training.tasks.task import ClientSamples, Inputs

COLUMNS = [
    *BY_SEED,
    *beside_blind("psnr", "PSNR of pictures", "dB", "{:.1f}"),
    *beside_blind("ssim", "SSIM of pictures"),
    *beside_blind("membership", "Membership, AUC"),
]


def main(
    files: Mapping[str, str], csv: str, jobs: Sequence[Mapping[str, Any]],
    axes: dict[str, Any], device: str, threads: int,
) -> None:  # fmt: skip
    """Write what every seed's features tell; md, tex and html go beside the csv.

    Args:
        files: paths of what the jobs are trained from, and of public samples, by name.
        csv: path of the csv, a row for each setting and seed.
        jobs: the settings that are attacked.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    inputs = Inputs.at(files, devices.prepare(device, threads))
    images = AttackedImages.of(files)

    def attacked(job: Job, client_data: ClientSamples) -> dict[str, float]:
        read = read_by_server(job, client_data, images)
        return {} if read is None else columns_of(read.drawn) | read.members.columns

    write_by_seed(csv, jobs, axes, inputs, attacked, COLUMNS)
