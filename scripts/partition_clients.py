"""Partition a data set over clients and write the task's client file."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from fbftl.data.clients import SERVER, Client, write_clients
from fbftl.data.datasets import Samples, digest, load
from fbftl.data.partition import members, partition
from fbftl.ground.errors import UserError
from fbftl.ground.logs import run_job


def holdings(samples: Samples, client: np.ndarray, ids: list[str]) -> Iterator[Client]:
    """Yield each client with its samples, from the client of every sample."""
    for name, rows in zip(ids, members(client), strict=True):
        own = samples.take(rows)
        yield Client(name, rows, {"pixels": own.inputs, "label": own.labels})


def given(samples: Samples) -> tuple[np.ndarray, list[str]]:
    """Return the client of every sample and the clients' ids, as the data itself says."""
    if samples.owners is None:
        raise UserError(
            "clients.partition is 'given', but the data names no clients; "
            "choose iid, shards, dirichlet or dirichlet_equal"
        )
    ids, client = np.unique(samples.owners, return_inverse=True)
    return client, ids.tolist()


def drawn(samples: Samples, spec: Mapping[str, Any], seed: int) -> tuple[np.ndarray, list[str]]:
    """Return the client of every sample and the clients' ids, numbered with leading zeros."""
    client = partition(samples.labels, spec, seed)
    count = int(client.max()) + 1
    return client, [f"{u:0{len(str(count - 1))}}" for u in range(count)]


def main(
    out: Path,
    data: Mapping[str, Any],
    clients: Mapping[str, Any],
    data_folder: str | None,
    seed: int,
) -> None:
    """Write the client file.

    Args:
        out: path of ``clients.h5``.
        data: config block ``data`` of the task.
        clients: config block ``clients`` of the task.
        data_folder: where the data's relative file names start.
        seed: seed of the partition.
    """
    dataset = load(data, data_folder)
    if clients["partition"] == "given":
        train, test = given(dataset.train), given(dataset.test)
    else:
        train = drawn(dataset.train, clients, seed)
        test = np.zeros(len(dataset.test), dtype=np.int64), [SERVER]
    write_clients(
        out,
        {
            "train": holdings(dataset.train, *train),
            "test": holdings(dataset.test, *test),
        },
        {"classes": json.dumps(dataset.classes), "dataset": digest(dataset)},
    )


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            job.output.clients,
            job.params.data,
            job.params.clients,
            job.config["data_folder"],
            job.params.clients["seed"],
        ),
    )
