"""The arrays of a feature store in a folder, by its root's `zarr.json`.

This file has the shape and the SHA-256 of every array (docs/formats.md), so that one digest
vouches for all. Chunks are of zstd with a CRC-32C, whose place the SHA-256 takes here. Each is
decoded into as many bytes as its shape has, and no more.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from fbftl.data.datasets.arrays import explaining, open_plain, require_digest, unpacked, widened

ARRAYS = {"features": "features", "labels": "labels", "clients": "client", "sample": "sample"}
"""Array of each split by what it holds."""

CHUNK_BYTES = 2**23
"""What a chunk is at most, unless the array is larger."""


def splits_of(folder: Path, sha256: str | None, whole: bool) -> list[dict[str, np.ndarray]]:
    """Return the arrays of the training and of the test split.

    Args:
        folder: of the store.
        sha256: that its `zarr.json` must have; None for any.
        whole: whether to read features; zeros are in their place otherwise.

    Raises:
        UserError: if it is no store of this format, another one, or damaged.
    """
    with explaining(folder):
        content = _content(folder, "zarr.json")
        require_digest(folder / "zarr.json", content, sha256)
        document = json.loads(content)["attributes"]
        if ragged := [name for name in document["arrays"] if name.endswith("offsets")]:
            raise ValueError(f"by {ragged[0]} its rows differ in length")
        return [
            {key: _array(folder, f"{split}/{ARRAYS[key]}", document, whole) for key in ARRAYS}
            for split in ("train", "test")
        ]


def _array(folder: Path, name: str, document: Mapping[str, Any], whole: bool) -> np.ndarray:
    entry = document["arrays"][name]
    shape, chunks, dtype = tuple(entry["shape"]), tuple(entry["chunks"]), np.dtype(entry["dtype"])
    size, chunk = (math.prod(of) * dtype.itemsize for of in (shape, chunks))
    if chunks[1:] != shape[1:] or not 0 < chunk <= max(size, CHUNK_BYTES):
        raise ValueError(f"{name} has the shape {shape} and chunks of {chunks}")

    def read() -> np.ndarray:
        values, digest = np.empty(shape, dtype), hashlib.sha256()
        for number, first in enumerate(range(0, shape[0], chunks[0])):
            key = "/".join([name, "c", str(number), *["0"] * (len(shape) - 1)])
            compressed = _content(folder, key)[:-4]
            with explaining(folder / key):
                content = pa.decompress(compressed, chunk, codec="zstd", asbytes=True)
            rows = np.frombuffer(content, dtype).reshape(chunks)[: shape[0] - first]
            values[first : first + len(rows)] = rows
            digest.update(rows)
        if digest.hexdigest() != entry["sha256"]:
            raise ValueError(f"{name} is not what zarr.json says")
        is_bfloat16 = document["dtype"] == "bfloat16" and name.endswith("/features")
        return widened(values) if is_bfloat16 else values

    return unpacked(shape, dtype, size, read, whole)


def _content(folder: Path, key: str) -> bytes:
    """Return a file of a store; a link could lead to any file of this machine."""
    if (folder / key).resolve() != folder.resolve() / key:
        raise ValueError(f"{key} is a link")
    with open_plain(folder / key) as file:
        return file.read()
