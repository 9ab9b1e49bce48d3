"""Choose a task's public samples and write them as a client file with one client."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from fbftl.data.clients import Client, ClientFile, write_clients
from fbftl.data.public import HELD_OUT, public_samples, strangers
from fbftl.ground.logs import run_job

NAME = "public"
"""Id of the one client."""


def main(
    clients: str | Path,
    out: str | Path,
    source: Mapping[str, Any],
    public: Mapping[str, Any],
    data_folder: str | None,
) -> None:
    """Write the public samples: most as the split `train`, some as `test`.

    Args:
        clients: path of the task's client file, whose samples are left out.
        out: path of the file to write.
        source: config block `source` of the task.
        public: config block `privacy.public` of the task.
        data_folder: where a data set's relative file names start.
    """
    images, labels = public_samples(source, public, data_folder)
    rows = strangers(images, target_images(clients))
    trained, tested = np.split(rows, [len(rows) - int(HELD_OUT * len(rows))])

    def only(own: np.ndarray) -> list[Client]:
        return [Client(NAME, own, {"pixels": images[own], "label": labels[own]})]

    write_clients(out, {"train": only(trained), "test": only(tested)})


def target_images(clients: str | Path) -> np.ndarray:
    """Return all images of a client file, training and test."""
    with ClientFile(clients) as file:
        return np.concatenate([file.column(split, "pixels") for split in file.splits])


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            job.input.clients,
            job.output.public,
            job.params.source,
            job.params.public,
            job.config["data_folder"],
        ),
    )
