"""IDX files, the format of the MNIST family, gzipped or not.

A header (two zero bytes, a type code, the number of axes, then each axis as a big-endian 32-bit
integer) is followed by the values. Config: ``train: {images: ..., labels: ...}`` and, if the set
has its own, ``test`` in the same form.
"""

import gzip
import math
import os
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from fbftl.data.datasets.base import (
    Outline,
    Samples,
    explaining,
    located_splits,
    numbered,
    require_one_shape,
)
from fbftl.ground.errors import UserError

UNSIGNED_BYTES = 0x08


def outline(spec: Mapping[str, Any], folder: Path | None) -> Outline:
    """Return what headers and the files of labels say; images are not unpacked.

    Raises:
        UserError: on a file that is not IDX, or does not belong to the others.
    """
    splits = [*located_splits(spec, folder).values()]
    shapes = [shape_of(images, axes=3) for images, _ in splits]
    labels = [read_file(path, axes=1) for _, path in splits]
    for (images, path), shape, of_split in zip(splits, shapes, labels, strict=True):
        if shape[0] != len(of_split):
            raise UserError(
                f"{images} holds {shape[0]} images and {path} {len(of_split)} labels; "
                "give files that belong together"
            )
    require_one_shape(shapes[0][1:], shapes[-1][1:])
    classes = numbered(max(int(of_split.max(initial=0)) for of_split in labels), "data")
    image = (*shapes[0][1:], 1)
    return Outline([shape[0] for shape in shapes], classes, image, labels=labels)


def read(spec: Mapping[str, Any], folder: Path | None) -> tuple[list[Samples], Sequence[str]]:
    """Return the samples; classes are named by their numbers."""
    samples = [
        Samples(read_file(images, 3)[..., np.newaxis], read_file(labels, 1).astype(np.int64))
        for images, labels in located_splits(spec, folder).values()
    ]
    return samples, numbered(max(int(split.labels.max()) for split in samples), "data")


def shape_of(path: Path, axes: int) -> tuple[int, ...]:
    """Return the shape in an IDX file's header, which its size is held against.

    Of a gzipped file that is what its last four bytes say.

    Raises:
        UserError: on a file that is not IDX, is cut short, or not of bytes with so many axes.
    """
    with explaining(path), _open(path) as file:
        shape = _header(path, file, axes)
        size = path.stat().st_size
        if isinstance(file, gzip.GzipFile):
            with open(path, "rb") as packed:
                packed.seek(-4, os.SEEK_END)
                size = int.from_bytes(packed.read(), "little")
        if size != (4 + 4 * axes + math.prod(shape)) % 2**32:
            raise ValueError(f"it does not hold the {math.prod(shape)} values of its header")
        return shape


def read_file(path: Path, axes: int) -> np.ndarray:
    """Return an IDX file's values, uint8.

    Raises:
        UserError: as `shape_of`, and on a file that is cut short or does not unpack.
    """
    with explaining(path), _open(path) as file:
        shape = _header(path, file, axes)
        # The checksum of a gzipped file is compared when its end is reached.
        values = file.read(math.prod(shape) + 1)
        if len(values) != math.prod(shape):
            raise ValueError(f"it does not hold the {math.prod(shape)} values of its header")
    return np.frombuffer(values, dtype=np.uint8).reshape(shape)


def _header(path: Path, file: BinaryIO, axes: int) -> tuple[int, ...]:
    start = file.read(4 + 4 * axes)
    if len(start) < 4 + 4 * axes or start[:4] != bytes([0, 0, UNSIGNED_BYTES, axes]):
        raise UserError(
            f"{path} is no IDX file of unsigned bytes with {axes} axes; check that images and "
            "labels are not swapped in data, or fetch it again"
        )
    return struct.unpack(f">{axes}I", start[4:])


def _open(path: Path) -> BinaryIO:
    with open(path, "rb") as file:
        is_gzip = file.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rb") if is_gzip else open(path, "rb")
