"""Choose a task's public samples and write them as a client file, a client for each source."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from fbftl.data.clients import ClientFile, write_clients
from fbftl.data.datasets import load
from fbftl.data.domains import name_of
from fbftl.data.public import public_domains, sellers

BOTH = ("train", "test")
"""Splits of a task."""


def main(
    clients: str | Path,
    samples: str | Path,
    source: Mapping[str, Any],
    public: Mapping[str, Any],
    data_folder: str | None,
    unseen: Mapping[str, Any] | None = None,
    splits: Sequence[str] = BOTH,
) -> None:
    """Write the public samples: most as the split `train`, some as `test`.

    Args:
        clients: path of the task's client file, with which none is shared.
        samples: path of the file to write.
        source: config block `source` of the task.
        public: its block `public`.
        data_folder: where a data set's relative file names start.
        unseen: the task's block `data` where its clients see their images differently.
        splits: of the task, none of whose images may be public. An adversary may know test images,
            which no client holds; a cloud may not sell them.
    """
    private = (
        target_images(clients, splits) if unseen is None else images_of(unseen, data_folder, splits)
    )
    domains = [name_of(domain) for domain in public_domains(public)]
    attributes = {"domains": json.dumps(domains)} if domains else {}
    write_clients(samples, sellers(source, public, private, data_folder), attributes)


def target_images(clients: str | Path, splits: Sequence[str] = BOTH) -> np.ndarray:
    """Return the images of a client file in some splits."""
    with ClientFile(clients) as file:
        return np.concatenate([file.column(split, "pixels") for split in splits])


def images_of(
    data: Mapping[str, Any], data_folder: str | None, splits: Sequence[str] = BOTH
) -> np.ndarray:
    """Return a data set's images in some splits, before anybody sees them differently."""
    parts = [samples for split, samples in load(data, data_folder) if split in splits]
    return np.concatenate([samples.inputs[0 : len(samples)] for samples in parts])
