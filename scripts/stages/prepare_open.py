"""Write a task's open data as a client file, a split for each part."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from fbftl.data.clients import Client, ClientFile, write_clients
from fbftl.data.public import open_samples

NAME = "everybody"
"""Id of the one client of each split."""


def main(
    clients: str | Path, open_data: str | Path, block: Mapping[str, Any], data_folder: str | None
) -> None:
    """Write the file.

    Args:
        clients: the task's client file, whose samples are left out.
        open_data: path of the file to write.
        block: config block `open_data` of the task.
        data_folder: where a data set's relative file names start.
    """
    with ClientFile(clients) as file:
        private = np.concatenate([file.column(split, "pixels") for split in file.splits])
        samples = open_samples(block, private, file.classes(), data_folder)
    splits = {
        part: [Client(NAME, np.arange(len(labels)), {"pixels": images, "label": labels})]
        for part, (images, labels) in samples.items()
    }
    write_clients(open_data, splits)
