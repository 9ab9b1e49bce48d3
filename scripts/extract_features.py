"""Extract the features of every client's samples once, and cache them."""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fbftl import devices
from fbftl.clients import ClientFile
from fbftl.extract import extract
from fbftl.files import sha256
from fbftl.forward import forward_fn
from fbftl.logs import run_job
from fbftl.preprocess import Preprocessing
from fbftl.source import load_source
from fbftl.store import Provenance, Target
from tqdm import tqdm

LIBRARIES = ("torch", "numpy", "zarr")


def main(
    clients: str, weights: str, source: str, store: str, manifest: str,
    features: dict[str, Any], device: str, threads: int,
) -> None:  # fmt: skip
    """Run the frozen extractor over every sample and write the feature store.

    Args:
        clients: path of the client file.
        weights: path of the source model's weights.
        source: path of the source model's manifest.
        store: where the store goes.
        manifest: where its manifest goes.
        features: config block `features` of the task.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    where = devices.prepare(device, threads)
    described = json.loads(Path(source).read_text(encoding="utf-8"))
    preprocessing = Preprocessing.of(described["preprocessing"]).overridden(features)
    provenance = Provenance(
        source=described["sha256"],
        cut=features["cut"],
        preprocessing=preprocessing.document() | {"pool": features["pool"]},
        data=sha256(clients),
        dtype=features["dtype"],
        libraries={name: version(name) for name in LIBRARIES},
    )
    with ClientFile(clients) as samples, tqdm(unit="sample", mininterval=1) as bar:
        image = samples.rows("train", 0, 1).arrays["pixels"].shape[1:]
        forward = forward_fn(
            load_source(weights, described),
            [features["cut"]],
            preprocessing,
            image,
            features["pool"],
            where.type,
        )

        def show(split: str, done: int, total: int) -> None:
            bar.set_description(split)
            bar.total, bar.n = total, done
            bar.refresh()

        target = Target(store, provenance, manifest)
        extract(samples, forward, [target], batch=features["batch"], progress=show)


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
