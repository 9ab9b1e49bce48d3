"""Who holds which dialogues: clients, and a server with the test split."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from fbftl.data.clients import SERVER, Client
from fbftl.data.dialogues.jsonl import FIELDS, Record
from fbftl.data.dialogues.splits import load
from fbftl.data.partition import members, partition


def dealt_out(
    data: Mapping[str, Any], clients: Mapping[str, Any], data_folder: str | None, seed: int
) -> tuple[dict[str, Iterable[Client]], dict[str, str]]:
    """Return the clients of each split, and what the client file says of the data set: nothing.

    Args:
        data: config block ``data`` of the task.
        clients: config block ``clients`` of the task.
        data_folder: where the data's relative file names start.
        seed: seed of the partition.
    """
    splits = load(data, data_folder)
    train, test = splits["train"], splits["test"]
    rows_by_client = members(partition(np.zeros(len(train), dtype=np.int64), clients, seed))
    digits = len(str(len(rows_by_client) - 1))
    return {
        "train": (holding(f"{u:0{digits}}", rows, train) for u, rows in enumerate(rows_by_client)),
        "test": [holding(SERVER, np.arange(len(test)), test)],
    }, {}


def holding(name: str, rows: np.ndarray, records: Sequence[Record]) -> Client:
    """Return a client that holds the named rows of a split."""
    samples = [records[row] for row in rows]
    arrays = {field: [getattr(record, field) for record in samples] for field in FIELDS}
    return Client(name, rows, arrays)
