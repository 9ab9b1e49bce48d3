"""Extract the features of every dialogue once, at all cuts in one pass, and cache them."""

from typing import Any

from fbftl.data.clients import ClientFile
from fbftl.features.dialogues import extraction
from fbftl.features.extract import extract
from fbftl.features.store import targets_of
from fbftl.ground import devices
from fbftl.ground.logs import run_job
from fbftl.ground.progress import ProgressBar


def main(
    clients: str, weights: str, source: str, stores: list[str], manifests: list[str],
    features: dict[str, Any], device: str, threads: int,
) -> None:  # fmt: skip
    """Run the frozen encoder over every dialogue and write a feature store per cut.

    Args:
        clients: path of the client file.
        weights: path of the source model's weights.
        source: path of the source model's manifest.
        stores: where the stores go, the task's own cut first, then its further cuts.
        manifests: where their manifests go.
        features: config block `features` of the task.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    where = devices.prepare(device, threads)
    with ClientFile(clients) as file:
        asked = extraction(file, weights, source, features, where.type)
        targets = targets_of(stores, manifests, asked.provenances, features["chunk_mib"])
        extract(
            asked.samples, asked.forward, targets, batch=features["batch"], progress=ProgressBar()
        )


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            job.input.clients,
            job.input.model,
            job.input.source,
            list(job.output.stores),
            list(job.output.manifests),
            job.params.features,
            job.config["device"],
            job.threads,
        ),
    )
