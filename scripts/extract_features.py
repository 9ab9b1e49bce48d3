"""Extract the features of every client's samples once, and cache them."""

from pathlib import Path
from typing import Any

from fbftl import devices
from fbftl.clients import ClientFile
from fbftl.extract import extract
from fbftl.files import write_text
from fbftl.image_features import extraction
from fbftl.logs import run_job
from fbftl.progress import ProgressBar
from fbftl.store import Target


def main(
    clients: str, weights: str, source: str, store: str, manifest: str,
    features: dict[str, Any], device: str, threads: int,
) -> None:  # fmt: skip
    """Run the frozen extractor over every sample and write the feature store.

    Args:
        clients: path of the client file.
        weights: path of the source model's weights.
        source: path of the source model's manifest.
        store: folder where the store goes, or a note of where it is if the config names a URL.
        manifest: where its manifest goes.
        features: config block `features` of the task.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    where = devices.prepare(device, threads)
    with ClientFile(clients) as samples:
        asked = extraction(samples, weights, source, features, where.type)
        place = features["store"] or store
        target = Target(place, asked.provenance, manifest, features["chunk_mib"] * 2**20)
        extract(samples, asked.forward, [target], batch=features["batch"], progress=ProgressBar())
    if place != store:
        write_text(Path(store, "location.txt"), f"{place}\n")


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            job.input.clients,
            job.input.model,
            job.input.source,
            job.output.store,
            job.output.manifest,
            job.params.features,
            job.config["device"],
            job.threads,
        ),
    )
