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

from fbftl.data.clients import valid_id
from fbftl.data.datasets.base import (
    BLOCK,
    Outline,
    Samples,
    located_splits,
    numbered,
    require_one_shape,
    require_unpackable,
)
from fbftl.data.hdf5 import explaining_damage, require_credible
from fbftl.ground.errors import UserError

CHANNELS = (1, 3, 4)
"""Of images that are stored: grey, colour, colour with transparency."""

Clients = Mapping[str, tuple[h5py.Dataset, h5py.Dataset]]
"""Images and labels of each client, in the order of their ids."""


def outline(spec: Mapping[str, Any], folder: Path | None) -> Outline:
    """Return what the clients' arrays hold, of which labels and a few images are read.

    Raises:
        UserError: if an array is missing, or is of another type, length or shape than the others.
    """
    samples = _samples(spec, folder, whole=False)
    train = samples[0]
    require_one_shape(train.inputs.shape[1:], samples[-1].inputs.shape[1:])
    labels = [np.unique(split.labels) for split in samples]
    clients = len(np.unique(train.owners))
    counts = [len(split) for split in samples]
    image = train.inputs.shape[1:]
    return Outline(counts, _classes(spec, samples), image, labels=labels, clients=clients)


def read(spec: Mapping[str, Any], folder: Path | None) -> tuple[list[Samples], Sequence[str]]:
    """Return the samples with their owners; classes are named by their numbers."""
    samples = _samples(spec, folder, whole=True)
    return samples, _classes(spec, samples)


def _classes(spec: Mapping[str, Any], samples: Sequence[Samples]) -> tuple[str, ...]:
    return numbered(max(int(split.labels.max(initial=0)) for split in samples), spec["train"])


def _samples(spec: Mapping[str, Any], folder: Path | None, whole: bool) -> list[Samples]:
    """Return the samples of each split that is there; unless whole, a few images of each only."""
    keys = spec.get("image_key", "pixels"), spec.get("label_key", "label")
    path, *paths = located_splits(spec, folder).values()
    if paths:
        return [_split(each, "examples", keys, whole) for each in (path, *paths)]
    with explaining_damage(str(path)), h5py.File(path, "r") as file:
        both = [f"{split}/examples" for split in ("train", "test") if split in file]
    return [_split(path, group, keys, whole) for group in both or ["examples"]]


def _split(path: Path, group: str, keys: tuple[str, str], whole: bool) -> Samples:
    with explaining_damage(str(path)), h5py.File(path, "r") as file:
        clients = _clients(file, group, *keys)
        of_clients = [images for images, _ in clients.values()]
        before = np.cumsum([0, *map(len, of_clients[:-1])])
        images = np.concatenate(
            [
                _bytes(path, rows[:] if whole else rows[: BLOCK - start])
                for rows, start in zip(of_clients, before, strict=True)
                if whole or start < BLOCK
            ]
        )
        labels = [np.asarray(rows[:], dtype=np.int64).ravel() for _, rows in clients.values()]
    owners = np.repeat(list(clients), list(map(len, labels)))
    return Samples(images, np.concatenate(labels), owners)


def _clients(file: h5py.File, group: str, image: str, label: str) -> Clients:
    """Return the clients of a split, their arrays compared with the first client's."""
    examples = file.get(group)
    if not isinstance(examples, h5py.Group):
        raise UserError(
            f"{file.filename} has no group {group!r}; store samples as examples/<client>/<array>"
        )
    where = f"{file.filename}, group {examples.name}"
    clients = {}
    for client in examples:
        if not valid_id(client):
            raise UserError(
                f"{file.filename}: client id {client!r} is refused; "
                "use letters, digits, and . _ - + @, at most 128 of them"
            )
        images, labels = (_array(where, examples, client, name) for name in (image, label))
        clients[client] = images, labels
    if not clients:
        raise UserError(f"{where}, has no clients; put one group per client there")
    first, (pixels, classes) = next(iter(clients.items()))
    _require_images(file.filename, image, pixels)
    if classes.shape[1:] not in ((), (1,)) or classes.dtype.kind not in "ui":
        raise UserError(
            f"{file.filename}: {label!r} is {classes.dtype} of shape {classes.shape[1:]} per "
            "sample, not one integer; set data.label_key to the array of classes"
        )
    for client, arrays in clients.items():
        for name, array, like in zip((image, label), arrays, (pixels, classes), strict=True):
            if (array.dtype, array.shape[1:]) != (like.dtype, like.shape[1:]):
                raise UserError(
                    f"{where}: rows of {name!r} are {array.dtype} of shape {array.shape[1:]} at "
                    f"client {client!r} and {like.dtype} of shape {like.shape[1:]} at client "
                    f"{first!r}; make them equal"
                )
        if len(arrays[0]) != len(arrays[1]):
            raise UserError(
                f"{where}: client {client!r} has {len(arrays[0])} rows of {image!r} and "
                f"{len(arrays[1])} of {label!r}; make the file anew"
            )
    every = [array for arrays in clients.values() for array in arrays]
    require_unpackable(file.filename, sum(array.nbytes for array in every))
    require_credible(where, every)
    return clients


def _array(where: str, examples: h5py.Group, client: str, name: str) -> h5py.Dataset:
    array = examples.get(f"{client}/{name}")
    if not isinstance(array, h5py.Dataset) or not array.shape:
        raise UserError(
            f"{where}: client {client!r} has no array {name!r} of rows; store one row per sample"
        )
    return array


def _require_images(file: str, name: str, pixels: h5py.Dataset) -> None:
    shape = pixels.shape[1:]
    if len(shape) not in (2, 3) or pixels.dtype.kind not in "uf" or not prod(shape):
        raise UserError(
            f"{file}: {name!r} is {pixels.dtype} of shape {shape} per sample, "
            "not an image of bytes or floats; set data.image_key to the array of images"
        )
    if len(shape) == 3 and shape[0] in CHANNELS and shape[2] not in CHANNELS:
        raise UserError(
            f"{file}: {name!r} has the shape {shape} per sample, channels first; "
            "store images as height, width, channels"
        )


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
