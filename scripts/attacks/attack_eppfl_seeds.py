"""Attack EPPFL in every seed, for pairs of settings by seed: pictures, and who took part.

The edge server draws what clients send in the first round; a client tells the others' samples by
the client part that the last round leaves (`fbftl.attacks.eppfl`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fbftl.attacks.eppfl import drawn_by_edge_server, members_by_client
from fbftl.attacks.inversion import AttackedImages, columns_of
from fbftl.findings.measured import beside_blind, write_by_seed
from fbftl.findings.tables import BY_SEED
from fbftl.ground import devices
from fbftl.study.job import Job
from fbftl.training.tasks.task import ClientSamples, Inputs, client_samples

COLUMNS = [
    *BY_SEED,
    *beside_blind("psnr", "PSNR of pictures", "dB", "{:.1f}"),
    *beside_blind("ssim", "SSIM of pictures"),
    *beside_blind("membership", "Membership by a client, AUC"),
]


def main(
    files: Mapping[str, str], csv: str, jobs: Sequence[Mapping[str, Any]],
    axes: dict[str, Any], device: str, threads: int,
) -> None:  # fmt: skip
    """Write what every seed's messages tell; md, tex and html go beside the csv.

    Args:
        files: paths of what the jobs are trained from, and of public samples, by name.
        csv: path of the csv, a row for each setting and seed.
        jobs: the settings that are attacked.
        axes: the axes that each method knows, with their defaults.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    where = devices.prepare(device, threads)
    inputs = Inputs.at(files, where)
    with_public = replace(inputs, clients=inputs.public)
    images = AttackedImages.of(files)

    def attacked(job: Job, client_data: ClientSamples) -> dict[str, float]:
        public_data = client_samples(job, with_public)
        columns = columns_of(drawn_by_edge_server(job, client_data, public_data, images))
        members = members_by_client(job, client_data)
        return columns if members is None else columns | members.columns

    write_by_seed(csv, jobs, axes, inputs, attacked, COLUMNS)
