"""Partition a task's data over clients and write its client file."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from fbftl.data.clients import write_clients


def main(
    module: str, out: str | Path, data: Mapping[str, Any], clients: Mapping[str, Any],
    data_folder: str | None, seed: int,
) -> None:  # fmt: skip
    """Write the client file.

    Args:
        module: dotted name of the module that partitions the task's kind of data over clients.
        out: path of ``clients.h5``.
        data: config block ``data`` of the task.
        clients: config block ``clients`` of the task.
        data_folder: where the data's relative file names start.
        seed: seed of the partition.
    """
    write_clients(out, *import_module(module).dealt_out(data, clients, data_folder, seed))
