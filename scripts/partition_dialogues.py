"""Partition dialogues over clients and write the task's client file."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from fbftl.data.clients import SERVER, Client, write_clients
from fbftl.data.dialogues.records import Record
from fbftl.data.dialogues.splits import load
from fbftl.data.partition import members, partition
from fbftl.ground.logs import run_job


def holding(name: str, rows: np.ndarray, records: Sequence[Record]) -> Client:
    """Return a client that holds the named rows of a split."""
    held = [records[row] for row in rows]
    arrays = {
        "id": [record.id for record in held],
        "dialogue": [record.dialogue for record in held],
        "summary": [record.summary for record in held],
    }
    return Client(name, rows, arrays)


def main(
    out: str | Path,
    data: Mapping[str, Any],
    clients: Mapping[str, Any],
    data_folder: str | None,
) -> None:
    """Write the client file.

    Args:
        out: path of ``clients.h5``.
        data: config block `data` of the task.
        clients: config block `clients` of the task.
        data_folder: where the data's relative file names start.
    """
    splits = load(data, data_folder)
    train, test = splits["train"], splits["test"]
    owner = partition(np.zeros(len(train), dtype=np.int64), clients, clients["seed"])
    held = members(owner)
    digits = len(str(len(held) - 1))
    write_clients(
        out,
        {
            "train": (holding(f"{u:0{digits}}", rows, train) for u, rows in enumerate(held)),
            "test": [holding(SERVER, np.arange(len(test)), test)],
        },
    )


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            job.output.clients,
            job.params.data,
            job.params.clients,
            job.config["data_folder"],
        ),
    )
