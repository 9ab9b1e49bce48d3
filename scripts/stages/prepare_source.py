"""Make a task's source model: pre-train it on the source task, or load given weights."""

from importlib import import_module
from typing import Any

from fbftl.ground import devices


def main(
    module: str, model: str, manifest: str, source: dict[str, Any], data: dict[str, Any],
    data_folder: str | None, device: str, threads: int,
) -> None:  # fmt: skip
    """Write weights and manifest of the source model that the config's `source` block asks for.

    Args:
        module: dotted name of the module that makes the source of the task's kind.
        model: where the weights go.
        manifest: where what is known of them goes, JSON.
        source: the block, of `kind: pretrain`, `load`, or `vectors`, which has no weights.
        data: config block `data` of the task, where its source is trained on public samples of it.
        data_folder: where relative names of files and folders start.
        device: auto, cpu or cuda, where to pre-train.
        threads: threads to compute with.
    """
    where = devices.prepare(device, threads)
    make = import_module(module).make_source
    make(model, manifest, source, data, data_folder, where)
