"""A federated HDF5 file that a user already has, in TensorFlow Federated's layout.

``examples/<client id>/<array>`` in one file per split, or ``train/examples/...`` and
``test/examples/...`` in one file. Config: ``train: file``, ``test: file`` if the test split lies in
its own; ``image_key`` and ``label_key`` name the arrays. Pixels are uint8, or floats from 0 to 1;
images without a channel axis get one, and labels may be columns of one.
"""

from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from fbftl.data.datasets.base import (
    Outline,
    Samples,
    explaining,
    located_splits,
    numbered,
    require_one_shape,
    require_unpackable,
)
from fbftl.ground.errors import UserError

CHANNELS = (1, 3, 4)
"""Of images that are stored: grey, colour, colour with transparency."""


def outline(spec: Mapping[str, Any], folder: Path | None) -> Outline:
    """Return what the clients' arrays hold, of which labels and one image are read.

    Raises:
        UserError: if an array is missing, or is of another type, length or shape than the others.
    """
    samples = _samples(spec, folder, whole=False)
    train = samples[0]
    require_one_shape(train.inputs.shape[1:], samples[-1].inputs.shape[1:])
    labels = [np.unique(split.labels) for split in samples]
    owners = np.unique(train.owners).tolist()
    counts = [len(split) for split in samples]
    image = train.inputs.shape[1:]
    return Outline(counts, _classes(spec, samples), image, labels=labels, owners=owners)


def read(spec: Mapping[str, Any], folder: Path | None) -> tuple[list[Samples], Sequence[str]]:
    """Return the samples with their owners; classes are named by their numbers."""
    samples = _samples(spec, folder, whole=True)
    return samples, _classes(spec, samples)


def _classes(spec: Mapping[str, Any], samples: Sequence[Samples]) -> tuple[str, ...]:
    return numbered(max(int(split.labels.max(initial=0)) for split in samples), spec["train"])


def _samples(spec: Mapping[str, Any], folder: Path | None, whole: bool) -> list[Samples]:
    """Return the samples of each split that is there; unless whole, one image of each at most."""
    keys = spec.get("image_key", "pixels"), spec.get("label_key", "label")
    (path,), *paths = located_splits(spec, folder).values()
    if paths:
        return [_split(each, "examples", *keys, whole) for (each,) in ((path,), *paths)]
    with explaining(path), h5py.File(path, "r") as file:
        both = [f"{split}/examples" for split in ("train", "test") if split in file]
    return [_split(path, group, *keys, whole) for group in both or ["examples"]]


def _split(path: Path, group: str, image: str, label: str, whole: bool) -> Samples:
    with explaining(path), h5py.File(path, "r") as file:
        examples = file.get(group, {})
        if not examples:
            raise UserError(
                f"{path} has no group {group!r} of clients; store samples as "
                "examples/<client>/<array>"
            )
        for client, arrays in examples.items():
            if not {image, label} <= set(arrays):
                raise UserError(
                    f"{path}: client {client!r} has the arrays {', '.join(arrays)}; set "
                    "data.image_key and data.label_key to those of images and classes"
                )
        images, classes = ([of[name] for of in examples.values()] for name in (image, label))
        _require_alike(image, label, images, classes)
        require_unpackable(path, sum(array.nbytes for array in (*images, *classes)))
        read = images if whole else [images[0][:1]]
        pixels = np.concatenate([_bytes(path, rows[:]) for rows in read])
        labels = [np.asarray(rows[:], dtype=np.int64).ravel() for rows in classes]
        owners = np.repeat(list(examples), list(map(len, labels)))
    return Samples(pixels, np.concatenate(labels), owners)


def _require_alike(
    image: str, label: str, images: Sequence[h5py.Dataset], classes: Sequence[h5py.Dataset]
) -> None:
    """Refuse arrays that are no images and classes, as many of each and alike at every client.

    Raises:
        ValueError: saying what they are.
    """
    for name, arrays in ((image, images), (label, classes)):
        if len(kinds := {f"{of.dtype} of shape {of.shape[1:]}" for of in arrays}) > 1:
            raise ValueError(f"rows of {name!r} are {' and '.join(sorted(kinds))}")
    if list(map(len, images)) != list(map(len, classes)):
        raise ValueError(f"a client has other numbers of rows of {image!r} and {label!r}")
    (pixels, shape), (kind, of_one) = ((of.dtype, of.shape[1:]) for of in (images[0], classes[0]))
    if len(shape) not in (2, 3) or pixels.kind not in "uf" or not prod(shape):
        raise ValueError(f"{image!r} is {pixels} of shape {shape} per sample, not an image")
    if len(shape) == 3 and shape[0] in CHANNELS and shape[2] not in CHANNELS:
        raise ValueError(f"{image!r} has the shape {shape}, channels first, not last")
    if of_one not in ((), (1,)) or kind.kind not in "ui":
        raise ValueError(f"{label!r} is {kind} of shape {of_one} per sample, not one integer")


def _bytes(path: Path, pixels: np.ndarray) -> np.ndarray:
    """Return images as uint8 with a channel axis."""
    if pixels.dtype.kind == "f":
        if not ((pixels >= 0) & (pixels <= 1)).all():
            raise UserError(f"{path} holds float pixels outside 0 to 1; rescale them")
        pixels = np.rint(pixels * 255)
    elif pixels.max(initial=0) > 255:
        raise UserError(f"{path} holds pixels above 255; rescale them to bytes")
    pixels = pixels.astype(np.uint8)
    return pixels[..., np.newaxis] if pixels.ndim == 3 else pixels
