"""IDX files, the format of the MNIST family, gzipped or not.

A header (two zero bytes, a type code, the number of axes, then each axis as a big-endian 32-bit
integer) is followed by the values. Config: ``train: {images: ..., labels: ...}`` and, if the set
has its own, ``test`` in the same form.
"""

import gzip
import math
import struct
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from fbftl.data.datasets.base import (
    Outline,
    Samples,
    located,
    numbered,
    require_one_shape,
    require_unpackable,
)
from fbftl.ground.errors import UserError

UNSIGNED_BYTES = 0x08
MAX_COMPRESSION = 1032
"""Deflate packs no harder than this."""


def outline(spec: Mapping[str, Any], folder: Path | None) -> Outline:
    """Return what headers and the files of labels say; images are not unpacked.

    Raises:
        UserError: on a file that is not IDX, cut short, or does not belong to the others.
    """
    splits = _paths(spec, folder)
    shapes = [check_file(images, axes=3) for images, _ in splits]
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
        for images, labels in _paths(spec, folder)
    ]
    return samples, numbered(max(int(split.labels.max()) for split in samples), "data")


def check_file(path: Path, axes: int) -> tuple[int, ...]:
    """Return the shape in an IDX file's header after comparing it with the file's size.

    For a gzipped file the size is the one in its trailer, so that a file cut short is found
    without unpacking it.

    Raises:
        UserError: on a file that is not IDX, not of bytes, of other axes, or cut short.
    """
    shape = _header(path, axes)
    expected = 4 + 4 * axes + math.prod(shape)
    size = path.stat().st_size
    if _is_gzip(path):
        with open(path, "rb") as file:
            file.seek(-4, 2)
            (unpacked,) = struct.unpack("<I", file.read(4))
        intact = unpacked == expected % 2**32 and expected <= MAX_COMPRESSION * size
    else:
        intact = size == expected
    if not intact:
        raise _damaged(path, f"its header promises {expected} bytes, which it does not hold")
    require_unpackable(path, expected)
    return shape


def read_file(path: Path, axes: int) -> np.ndarray:
    """Return an IDX file's values, uint8.

    Raises:
        UserError: as `check_file`, and on compressed data that does not unpack.
    """
    shape = check_file(path, axes)
    try:
        with _open(path) as file:
            file.read(4 + 4 * axes)
            values = file.read(math.prod(shape))
            # The checksum of a gzipped file is compared when its end is reached.
            complete = len(values) == math.prod(shape) and not file.read(1)
    except (OSError, EOFError, zlib.error) as error:
        raise _damaged(path, "it cannot be read or unpacked") from error
    if not complete:
        raise _damaged(path, f"it does not hold the {math.prod(shape)} values of its header")
    return np.frombuffer(values, dtype=np.uint8).reshape(shape)


def _header(path: Path, axes: int) -> tuple[int, ...]:
    try:
        with _open(path) as file:
            start = file.read(4 + 4 * axes)
    except (OSError, EOFError, zlib.error) as error:
        raise _damaged(path, "it cannot be read or unpacked") from error
    if len(start) < 4 + 4 * axes or start[:2] != b"\0\0":
        raise _damaged(path, "it does not begin like an IDX file")
    if start[2] != UNSIGNED_BYTES or start[3] != axes:
        raise UserError(
            f"{path} is an IDX file of type {start[2]:#04x} with {start[3]} axes, not of unsigned "
            f"bytes (0x08) with {axes}; check that images and labels are not swapped in data"
        )
    return struct.unpack(f">{axes}I", start[4:])


def _is_gzip(path: Path) -> bool:
    with open(path, "rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _open(path: Path) -> BinaryIO:
    return gzip.open(path, "rb") if _is_gzip(path) else open(path, "rb")


def _damaged(path: Path, why: str) -> UserError:
    return UserError(f"{path} is damaged or not an IDX file: {why}; fetch it again")


def _paths(spec: Mapping[str, Any], folder: Path | None) -> list[tuple[Path, Path]]:
    """Return the files of images and of labels of each split that there is."""
    return [
        (
            located(folder, spec[split]["images"], f"data.{split}.images"),
            located(folder, spec[split]["labels"], f"data.{split}.labels"),
        )
        for split in ("train", "test")
        if spec.get(split)
    ]
