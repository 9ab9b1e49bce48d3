"""Extract the features of every client's samples once, at all cuts in one pass, and cache them."""

from importlib import import_module
from typing import Any

from fbftl.data.clients import ClientFile
from fbftl.features.extract import extract
from fbftl.features.store.provenance import targets_of
from fbftl.ground import devices


def main(
    module: str, clients: str, weights: str, source: str, stores: list[str],
    manifests: list[str], features: dict[str, Any], code: str, device: str, threads: int,
) -> None:  # fmt: skip
    """Run the frozen extractor over every sample and write a feature store per cut.

    Args:
        module: dotted name of the module that makes the extractor of the task's kind of data.
        clients: path of the client file.
        weights: path of the source model's weights.
        source: path of the source model's manifest.
        stores: folders or URLs where the stores go, the task's own cut first, then its further
            cuts.
        manifests: where their manifests go.
        features: config block `features` of the task.
        code: digest of the source files that the features depend on.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    where = devices.prepare(device, threads)
    with ClientFile(clients) as file:
        extraction = import_module(module).extraction(file, weights, source, features, where.type)
        extract(
            extraction.samples,
            extraction.forward,
            targets_of(stores, manifests, extraction.provenances, features["chunk_mib"], code),
            batch=features["batch"],
            stage=extraction.stage,
        )
