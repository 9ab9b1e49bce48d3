"""Train a task's further source models, on which FedVote's clients vote."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from fbftl.data.preprocess import Preprocessing
from fbftl.features.store.manifest import read_manifest
from fbftl.ground import devices
from fbftl.ground.files import replacing, write_digest
from fbftl.methods.fedvote.sources import joined, trained_sources
from fbftl.training.tasks.images_samples import open_part
from safetensors.torch import save

LEARNT = {"target": "target", "shuffled": "target", "letters": "source"}
"""Part of the open data that each kind of model learns from; a random one learns from none."""


def main(
    open_data: str | Path, manifest: str | Path, sources: str | Path,
    block: Mapping[str, Any], device: str, threads: int,
) -> None:  # fmt: skip
    """Write the models' parameters, each under its model's name, and the file's digest beside it.

    Args:
        open_data: the task's open data.
        manifest: of the task's feature store, for the preprocessing.
        sources: path of the file to write.
        block: config block `source_models` of the task, its network's block in place of its name.
        device: auto, cpu or cuda.
        threads: threads to compute with.
    """
    where = devices.prepare(device, threads)
    preprocessing = Preprocessing.of(read_manifest(Path(manifest)).store["preprocessing"])
    wanted = {LEARNT[kind] for kind in block["models"].values() if kind in LEARNT}
    parts = {
        part: open_part(Path(open_data), part, preprocessing, where) for part in sorted(wanted)
    }
    models = joined(trained_sources(block, parts))
    with replacing(sources) as temporary, torch.no_grad():
        temporary.write_bytes(
            save({name: tensor.cpu().contiguous() for name, tensor in models.items()})
        )
    write_digest(sources)
