"""Write a task's open data as a client file, a split for each part."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from fbftl.data.clients import Client, ClientFile, write_clients
from fbftl.data.open import open_samples
from fbftl.ground.logs import run_job

NAME = "everybody"
"""Id of the one client of each split."""


def main(
    clients: str | Path, out: str | Path, spec: Mapping[str, Any], data_folder: str | None
) -> None:
    """Write the file.

    Args:
        clients: the task's client file, whose samples are left out.
        out: path of the file to write.
        spec: config block `open` of the task.
        data_folder: where a data set's relative file names start.
    """
    with ClientFile(clients) as file:
        private = np.concatenate([file.column(split, "pixels") for split in file.splits])
        found = open_samples(spec, private, file.classes(), data_folder)
    splits = {
        part: [Client(NAME, np.arange(len(labels)), {"pixels": images, "label": labels})]
        for part, (images, labels) in found.items()
    }
    write_clients(out, splits)


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            job.input.clients, job.output.open, job.params.open, job.config["data_folder"]
        ),
    )
