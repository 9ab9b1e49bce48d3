"""Extract the features of every client's samples once, and cache them."""

from pathlib import Path
from typing import Any

from fbftl.data.clients import ClientFile
from fbftl.features.extract import extract
from fbftl.features.images import extraction
from fbftl.features.store import targets_of
from fbftl.ground import devices
from fbftl.ground.files import write_text
from fbftl.ground.logs import run_job
from fbftl.ground.progress import ProgressBar


def main(
    clients: str, weights: str, source: str, stores: list[str], manifests: list[str],
    features: dict[str, Any], device: str, threads: int,
) -> None:  # fmt: skip
    """Run the frozen extractor over every sample and write a feature store per cut.

    Args:
        clients: path of the client file.
        weights: path of the source model's weights.
        source: path of the source model's manifest.
        stores: folders where the stores go, the task's own cut first, then its further cuts; the
            first holds a note of where the store is if the config names a URL.
        manifests: where their manifests go.
        features: config block `features` of the task.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    where = devices.prepare(device, threads)
    with ClientFile(clients) as samples:
        asked = extraction(samples, weights, source, features, where.type)
        places = [features["store"] or stores[0], *stores[1:]]
        targets = targets_of(places, manifests, asked.provenances, features["chunk_mib"])
        extract(
            samples,
            asked.forward,
            targets,
            batch=features["batch"],
            stage=asked.stage,
            progress=ProgressBar(),
        )
    if places[0] != stores[0]:
        write_text(Path(stores[0], "location.txt"), f"{places[0]}\n")


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
