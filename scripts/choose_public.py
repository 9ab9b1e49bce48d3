"""Choose a task's public samples and write them as a client file, a client for each source."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from fbftl.data.clients import ClientFile, write_clients
from fbftl.data.datasets import load
from fbftl.data.domains import name_of
from fbftl.data.public import public_domains
from fbftl.data.public_file import sellers
from fbftl.ground.logs import run_job


def main(
    clients: str | Path,
    out: str | Path,
    source: Mapping[str, Any],
    public: Mapping[str, Any],
    data_folder: str | None,
    unseen: Mapping[str, Any] | None = None,
) -> None:
    """Write the public samples: most as the split `train`, some as `test`.

    Args:
        clients: path of the task's client file, with which none is shared.
        out: path of the file to write.
        source: config block `source` of the task.
        public: its block `public`.
        data_folder: where a data set's relative file names start.
        unseen: the task's block `data` where its clients see their images differently.
    """
    private = target_images(clients) if unseen is None else images_of(unseen, data_folder)
    domains = [name_of(domain) for domain in public_domains(public)]
    attributes = {"domains": json.dumps(domains)} if domains else {}
    write_clients(out, sellers(source, public, private, data_folder), attributes)


def target_images(clients: str | Path) -> np.ndarray:
    """Return all images of a client file, training and test."""
    with ClientFile(clients) as file:
        return np.concatenate([file.column(split, "pixels") for split in file.splits])


def images_of(data: Mapping[str, Any], data_folder: str | None) -> np.ndarray:
    """Return all images of a data set, training and test, before anybody sees them differently."""
    return np.concatenate([own.inputs[0 : len(own)] for _, own in load(data, data_folder)])


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            job.input.clients,
            job.output.public,
            job.params.source,
            job.params.public,
            job.config["data_folder"],
            job.params.unseen,
        ),
    )
