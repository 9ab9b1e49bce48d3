"""Named arrays in files (.npy, .npz, .safetensors, Parquet) and in feature stores.

A file is opened once; where it is read whole, what is parsed are the bytes that were hashed. An
array's header is held against the bytes that are there before any is unpacked.

A store's `zarr.json` has the shape and the SHA-256 of every array (docs/formats.md), so that one
digest vouches for all. Its chunks are of zstd with a CRC-32C, whose place the SHA-256 takes here.
Each is decoded into as many bytes as its shape has, and no more.
"""

import hashlib
import io
import json
import math
import os
import stat
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from fbftl.data.datasets.base import require_unpackable
from fbftl.ground.errors import UserError
from fbftl.ground.files import message_of

SAFETENSORS = {"BOOL": "?", "BF16": "<u2"} | {
    f"{kind.upper()}{8 * size}": f"<{kind}{size}" for kind in "fiu" for size in (1, 2, 4, 8)
}
"""NumPy's name of each type that is read; of bfloat16, which it lacks, that of the bits."""

NPY = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
"""What reads a header by its version; later ones are for names of fields."""

LOOK = 2**20
"""Bytes of vectors that a plan looks at."""

Array = Callable[[bool], np.ndarray]
"""Returns the values of an array; given False, zeros of its shape in the place of vectors."""


@contextmanager
def explaining(path: Path) -> Iterator[None]:
    """Turn what readers raise on a file that is damaged or wrong into one sentence on it."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:  # of what is damaged, formats and codecs raise whatever they find
        raise UserError(
            f"{path} cannot be read ({message_of(error)}); correct it or make it anew"
        ) from error


def open_plain(path: Path) -> IO[bytes]:
    """Open a file, refused if it is a folder, a pipe or a device, which may have no end."""
    # Without O_NONBLOCK a pipe would wait for whoever writes into it.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UserError(f"{path} is no plain file; name one that holds the samples")
    return os.fdopen(descriptor, "rb")


def require_digest(path: Path, content: bytes, sha256: str | None) -> None:
    """Refuse content of another SHA-256 than the given one, if any is given."""
    found = hashlib.sha256(content).hexdigest()
    if sha256 not in (None, found):
        raise UserError(
            f"{path} has the SHA-256 {found}, and data.sha256 is {sha256}; get the right file, "
            "or correct data.sha256 if this is the file you mean"
        )


@contextmanager
def arrays_in(path: Path, sha256: str | None, whole: bool) -> Iterator[Mapping[str, Array]]:
    """Yield the arrays of a file by name; that of .npy is called `features`.

    Args:
        path: of the file.
        sha256: that it must have where it is read whole; None for any.
        whole: whether to read and hash all of it first.

    Raises:
        UserError: if it is no such file, another one, or damaged.
    """
    if path.suffix not in READERS:
        raise UserError(f"{path} is no file of {', '.join(READERS)}; name one, or a store's folder")
    with explaining(path), open_plain(path) as file:
        if whole:
            content = file.read()
            require_digest(path, content, sha256)
            file = io.BytesIO(content)
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        yield READERS[path.suffix](file, size)


def unpacked(
    shape: tuple[int, ...],
    dtype: np.dtype,
    size: int,
    read: Callable[[], np.ndarray],
    whole: bool,
    start: Callable[[int], bytes] = lambda _: b"",
) -> np.ndarray:
    """Return an array, see `Array`, of whose content so many bytes are there.

    Args:
        shape: in its header.
        dtype: in its header.
        size: bytes of its content.
        read: returns its values.
        whole: whether to read vectors; else the first ones are looked at alone.
        start: returns so many first bytes of its content.

    Raises:
        ValueError: if its header says otherwise, or it holds neither numbers nor words.
    """
    claimed = math.prod(shape) * dtype.itemsize
    kinds = "fiubU" if len(shape) == 1 else "fiu"
    if dtype.kind not in kinds or min(shape, default=0) < 0 or claimed != size:
        raise ValueError(f"{dtype} of the shape {shape} is {claimed} bytes, and there are {size}")
    require_unpackable("an array", claimed)
    if len(shape) == 1:
        return read()
    if whole:
        return vectors(read())
    row = math.prod(shape[1:]) * dtype.itemsize
    first = start(min(claimed, LOOK) // row * row) if row else b""
    vectors(np.frombuffer(first, dtype).reshape(-1, *shape[1:]))
    return np.broadcast_to(np.float32(0), shape)


def vectors(values: np.ndarray) -> np.ndarray:
    """Return rows of finite numbers as float32."""
    with np.errstate(over="ignore"):
        values = values.astype(np.float32)
    wrong = np.flatnonzero(~np.isfinite(values).all(axis=tuple(range(1, values.ndim))))
    if len(wrong):
        raise ValueError(f"sample {wrong[0]} has a value that is no finite number of 32 bits")
    return values


def widened(bits: np.ndarray) -> np.ndarray:
    """Return bfloat16 values, given by their bits, as float32."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def _npy(file: IO[bytes], size: int) -> dict[str, Array]:
    version = np.lib.format.read_magic(file)
    if version not in NPY:
        raise ValueError(f"version {version[0]} of .npy, for which numbers and words have no need")
    shape, _, dtype = NPY[version](file)
    content = size - file.tell()

    def read() -> np.ndarray:
        file.seek(0)
        return np.lib.format.read_array(file, allow_pickle=False)

    return {"features": partial(unpacked, shape, dtype, content, read, start=file.read)}


def _npz(file: IO[bytes], _: int) -> dict[str, Array]:
    archive = zipfile.ZipFile(file)
    return {
        entry.filename.removesuffix(".npy"): _npy(archive.open(entry), entry.file_size)["features"]
        for entry in archive.infolist()
    }


def _safetensors(file: IO[bytes], size: int) -> dict[str, Array]:
    length = int.from_bytes(file.read(8), "little")
    if length > size:
        raise ValueError(f"its header claims {length} bytes")
    header = json.loads(file.read(length))
    header.pop("__metadata__", None)

    def array(entry: Mapping[str, Any], whole: bool) -> np.ndarray:
        shape, (first, last) = tuple(entry["shape"]), entry["data_offsets"]
        if entry["dtype"] not in SAFETENSORS:
            raise ValueError(f"{entry['dtype']}, which is none of {', '.join(SAFETENSORS)}")
        dtype = np.dtype(SAFETENSORS[entry["dtype"]])

        def read() -> np.ndarray:
            file.seek(8 + length + first)
            values = np.frombuffer(file.read(last - first), dtype).reshape(shape)
            return widened(values) if entry["dtype"] == "BF16" else values

        file.seek(8 + length + first)
        return unpacked(shape, dtype, last - first, read, whole, file.read)

    return {name: partial(array, entry) for name, entry in header.items()}


def _parquet(file: IO[bytes], _: int) -> dict[str, Array]:
    table = pq.ParquetFile(file)
    return {name: partial(_column, table, name) for name in table.schema_arrow.names}


def _column(table: pq.ParquetFile, name: str, whole: bool) -> np.ndarray:
    """Return a column of numbers, words or vectors of one length."""
    # Nothing of a footer's columns is asked for: Arrow ends the process where they are damaged.
    groups = [table.metadata.row_group(number) for number in range(table.num_row_groups)]
    require_unpackable("a column", sum(group.total_byte_size for group in groups))
    first = next(table.iter_batches(1, columns=[name]), None)
    if first is None:
        raise ValueError("it has no rows")
    is_vector = pa.types.is_nested(first.schema.types[0])
    shape = (table.metadata.num_rows, *([len(first.column(0).flatten())] if is_vector else []))
    require_unpackable("a column", 8 * math.prod(shape))
    if is_vector and not whole:
        vectors(first.column(0).flatten().to_numpy(zero_copy_only=False)[None])
        return np.broadcast_to(np.float32(0), shape)
    column = table.read(columns=[name]).column(0).combine_chunks()
    if is_vector and not pc.all(pc.equal(pc.list_value_length(column), shape[1])).as_py():
        raise ValueError(f"vectors in {name} differ in length")
    flat = column.flatten() if is_vector else column
    if column.null_count or flat.null_count:
        raise ValueError(f"{name} lacks values")
    values = flat.to_numpy(zero_copy_only=False)
    if is_vector:
        return vectors(values.reshape(shape))
    return values.astype(str) if values.dtype == object else values


READERS: Mapping[str, Callable[[IO[bytes], int], dict[str, Array]]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".safetensors": _safetensors,
    ".parquet": _parquet,
}
"""By suffix what returns the arrays of a file of so many bytes, none of which is read yet."""


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
