"""Data sets that torchvision downloads, their digests checked by torchvision.

Config: ``name``, one of `SIZES`. Files go to ``data_folder``, once. CIFAR's archives hold pickles
whose digests torchvision knows and compares before it opens them.
"""

from collections.abc import Mapping, Sequence
from http.client import HTTPException
from pathlib import Path
from typing import Any

import numpy as np

from fbftl.data.datasets.base import Outline, Samples
from fbftl.ground.errors import UserError
from fbftl.ground.files import writing

SIZES = {
    "MNIST": (60_000, 10_000, 10, (28, 28, 1)),
    "FashionMNIST": (60_000, 10_000, 10, (28, 28, 1)),
    "KMNIST": (60_000, 10_000, 10, (28, 28, 1)),
    "CIFAR10": (50_000, 10_000, 10, (32, 32, 3)),
    "CIFAR100": (50_000, 10_000, 100, (32, 32, 3)),
}
"""Training samples, test samples, classes and images' shape of each set."""


def outline(spec: Mapping[str, Any], folder: Path | None) -> Outline:
    """Return what is known of a set by its name; the network is left alone.

    Its class names are not: torchvision, slow to import, has them.

    Raises:
        UserError: if there is no folder to download to.
    """
    if folder is None:
        raise UserError("data.kind torchvision needs data_folder; set it to a folder to keep files")
    *counts, classes, shape = SIZES[spec["name"]]
    return Outline(counts, (None,) * classes, shape)


def read(spec: Mapping[str, Any], folder: Path | None) -> tuple[list[Samples], Sequence[str]]:
    """Return the samples, after downloading them if the folder has them not yet.

    Raises:
        UserError: without a network, with the files to fetch and where to put them; if the disk
            is full.
    """
    from fbftl.ground.torchvision_ops import import_torchvision

    collection = getattr(import_torchvision().datasets, spec["name"])
    try:
        with writing(Path(folder, spec["name"])):
            splits = [collection(folder, train=train, download=True) for train in (True, False)]
    except (OSError, RuntimeError, HTTPException) as error:
        destination = Path(folder)
        if hasattr(collection, "resources"):
            names = ", ".join(name for name, _ in collection.resources)
            fetched = f"fetch {names} from {collection.mirrors[0]}, put them"
            destination = destination / collection.__name__ / "raw"
        else:
            fetched = f"fetch {collection.url}, put it"
        raise UserError(
            f"{spec['name']} could not be downloaded to {folder}; on another machine {fetched} "
            f"in {destination} and run again"
        ) from error
    samples = [_samples(np.asarray(split.data), split.targets) for split in splits]
    return samples, splits[0].classes


def _samples(pixels: np.ndarray, targets: Any) -> Samples:
    pixels = pixels[..., np.newaxis] if pixels.ndim == 3 else pixels
    return Samples(pixels, np.asarray(targets, dtype=np.int64))
