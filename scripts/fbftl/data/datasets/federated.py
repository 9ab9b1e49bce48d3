"""A federated HDF5 file that a user already has, in TensorFlow Federated's layout.

``examples/<client id>/<array>`` in one file per split, or ``train/examples/...`` and
``test/examples/...`` in one file. Config: ``train: file``, ``test: file`` if the test split lies in
its own; ``image_key`` and ``label_key`` name the arrays. Pixels are uint8, or floats from 0 to 1;
images without a channel axis get one, and labels may be columns of one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from fbftl.data.clients import valid_id
from fbftl.data.datasets.base import (
    BLOCK,
    Samples,
    located,
    numbered,
    require_one_shape,
    require_unpackable,
)
from fbftl.data.examples import Examples, explaining_damage
from fbftl.ground.errors import UserError

CHANNELS = (1, 3, 4)
"""Of images that are stored: grey, colour, colour with transparency."""


def check(spec: Mapping[str, Any], folder: Path | None) -> None:
    """Check every client's arrays: names, types, lengths, shapes; only labels are read."""
    outlines = _outlines(spec, folder)
    require_one_shape(outlines[0].image, outlines[-1].image)


def counts(spec: Mapping[str, Any], folder: Path | None) -> tuple[int, int | None]:
    """Return the number of training and of test samples, from the arrays' lengths."""
    train, *test = _outlines(spec, folder)
    return train.samples, test[0].samples if test else None


def named_clients(spec: Mapping[str, Any], folder: Path | None) -> int:
    """Return the number of clients that the training split names."""
    return _outlines(spec, folder)[0].clients


def class_names(spec: Mapping[str, Any], folder: Path | None) -> tuple[str, ...]:
    """Return the numbers of the classes, from the arrays of labels."""
    largest = max(max(split.labels, default=0) for split in _outlines(spec, folder))
    return numbered(largest, spec["train"])


def labels(spec: Mapping[str, Any], folder: Path | None) -> list[np.ndarray]:
    """Return the labels that occur in each split."""
    return [np.array(split.labels, np.int64) for split in _outlines(spec, folder)]


def image(spec: Mapping[str, Any], folder: Path | None) -> tuple[int, int, int]:
    """Return height, width and channels of the clients' images."""
    height, width, *channels = _outlines(spec, folder)[0].image
    return height, width, channels[0] if channels else 1


@dataclass(frozen=True)
class Outline:
    """What a split holds: samples, clients, its different labels, and one image's shape."""

    samples: int
    clients: int
    labels: tuple[int, ...]
    image: tuple[int, ...]


def _outlines(spec: Mapping[str, Any], folder: Path | None) -> list[Outline]:
    """Return what each split holds, its clients' arrays compared."""
    return [
        _outline(path, group, *_keys(spec), path.stat().st_size, path.stat().st_mtime_ns)
        for path, group in _groups(spec, folder)
    ]


@lru_cache(maxsize=8)
def _outline(path: Path, group: str, image: str, label: str, *_: int) -> Outline:
    """Look at every client once, which for thousands takes a second; a changed file anew."""
    with _open(path) as file:
        examples = _examples(file, group, image, label)
        found = np.unique(examples.rows(0, examples.count, (label,))[label])
        _bytes(path, examples.rows(0, min(BLOCK, examples.count), (image,))[image])
    shape = examples.columns[image].shape
    return Outline(examples.count, len(examples.ids), tuple(found.tolist()), shape)


def read(
    spec: Mapping[str, Any], folder: Path | None
) -> tuple[Samples, Samples | None, tuple[str, ...]]:
    """Return the samples with their owners; classes are named by their numbers."""
    splits = []
    for path, group in _groups(spec, folder):
        with _open(path) as file:
            splits.append(_read_split(path, _examples(file, group, *_keys(spec)), _keys(spec)))
    largest = max(int(samples.labels.max(initial=0)) for samples in splits)
    train, test = splits if len(splits) == 2 else (splits[0], None)
    return train, test, numbered(largest, spec["train"])


def _keys(spec: Mapping[str, Any]) -> tuple[str, str]:
    return spec.get("image_key", "pixels"), spec.get("label_key", "label")


def _groups(spec: Mapping[str, Any], folder: Path | None) -> list[tuple[Path, str]]:
    """Return file and group of each split that is there."""
    path = located(folder, spec["train"], "data.train")
    if spec.get("test"):
        return [(path, "examples"), (located(folder, spec["test"], "data.test"), "examples")]
    with _open(path) as file, explaining_damage(str(path)):
        both = [f"{split}/examples" for split in ("train", "test") if split in file]
    return [(path, group) for group in both or ["examples"]]


def _open(path: Path) -> h5py.File:
    with explaining_damage(str(path)):
        return h5py.File(path, "r")


def _examples(file: h5py.File, group: str, image: str, label: str) -> Examples:
    with explaining_damage(file.filename):
        clients = file.get(group)
    if not isinstance(clients, h5py.Group):
        raise UserError(
            f"{file.filename} has no group {group!r}; store samples as examples/<client>/<array>"
        )
    examples = Examples(clients, (image, label))
    for client in examples.ids:
        if not valid_id(client):
            raise UserError(
                f"{file.filename}: client id {client!r} is refused; "
                "use letters, digits, and . _ - + @, at most 128 of them"
            )
    pixels, classes = examples.columns[image], examples.columns[label]
    require_unpackable(file.filename, examples.count * (pixels.row_bytes + classes.row_bytes))
    if len(pixels.shape) not in (2, 3) or pixels.dtype.kind not in "uf":
        raise UserError(
            f"{file.filename}: {image!r} is {pixels.dtype} of shape {pixels.shape} per sample, "
            "not an image of bytes or floats; set data.image_key to the array of images"
        )
    if len(pixels.shape) == 3 and pixels.shape[0] in CHANNELS and pixels.shape[2] not in CHANNELS:
        raise UserError(
            f"{file.filename}: {image!r} has the shape {pixels.shape} per sample, channels first; "
            "store images as height, width, channels"
        )
    if classes.shape not in ((), (1,)) or classes.dtype.kind not in "ui":
        raise UserError(
            f"{file.filename}: {label!r} is {classes.dtype} of shape {classes.shape} per sample, "
            "not one integer; set data.label_key to the array of classes"
        )
    return examples


def _read_split(path: Path, examples: Examples, keys: tuple[str, str]) -> Samples:
    image, label = keys
    blocks = [
        _bytes(path, examples.rows(first, first + BLOCK, (image,))[image])
        for first in range(0, examples.count, BLOCK)
    ]
    labels = np.asarray(examples.rows(0, examples.count, (label,))[label], dtype=np.int64).ravel()
    if len(labels) and labels.min() < 0:
        raise UserError(f"{path}: {label!r} holds negative classes; count classes from 0")
    if not blocks:
        raise UserError(f"{path} holds clients but no samples; add some")
    owners = np.array(examples.ids)[examples.owners(0, examples.count)]
    return Samples(np.concatenate(blocks), labels, owners)


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
