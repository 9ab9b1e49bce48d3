"""Named arrays in the files that people keep features in: .npy, .npz, .safetensors and Parquet.

A file is opened once; where it is read whole, what is parsed are the bytes that were hashed. An
array's header is held against the bytes that are there before any is unpacked.
"""

import hashlib
import io
import json
import math
import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from fbftl.data.datasets.base import require_unpackable
from fbftl.ground.errors import UserError
from fbftl.ground.files import UNREADABLE

SAFETENSORS = {"BOOL": "?", "BF16": "<u2"}
"""NumPy's name of types that follow no rule; it has no bfloat16."""

DAMAGE = (*UNREADABLE, OSError, RuntimeError, zipfile.BadZipFile, zlib.error, pa.ArrowException)
"""What readers raise on damaged files."""

Array = Callable[[bool], np.ndarray]
"""Returns the values of an array; given False, zeros of its shape in the place of vectors."""


@contextmanager
def explaining(path: Path) -> Iterator[None]:
    """Turn what readers raise on a file that is damaged or wrong into one sentence on it."""
    try:
        yield
    except UserError:
        raise
    except DAMAGE as error:
        reason = f"{error or type(error).__name__}".splitlines()[0][:200]
        raise UserError(f"{path} cannot be read ({reason}); correct it or make it anew") from error


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
            f"{path} has the SHA-256 {found}, and data.sha256 is {sha256}; get the file that is "
            "meant, or take the digest over if it is this one"
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
        raise UserError(f"{path} is none of {', '.join(READERS)}; name one, or a store's folder")
    with explaining(path), open_plain(path) as file:
        if whole:
            content = file.read()
            require_digest(path, content, sha256)
            file = io.BytesIO(content)
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        yield READERS[path.suffix](file, size)


def unpacked(
    shape: tuple[int, ...], dtype: np.dtype, size: int, read: Callable[[], np.ndarray], whole: bool
) -> np.ndarray:
    """Return an array, see `Array`, of whose content so many bytes are there.

    Raises:
        ValueError: if its header says otherwise, or it holds neither numbers nor words.
    """
    claimed = math.prod(shape) * dtype.itemsize
    if dtype.kind not in "fiubUS" or min(shape, default=0) < 0 or claimed != size:
        raise ValueError(f"{dtype} of the shape {shape} is {claimed} bytes, and there are {size}")
    require_unpackable("an array", claimed)
    return read() if whole or len(shape) == 1 else np.broadcast_to(np.zeros((), dtype), shape)


def widened(bits: np.ndarray) -> np.ndarray:
    """Return bfloat16 values, given by their bits, as float32."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def _npy(file: IO[bytes], size: int) -> dict[str, Array]:
    version = np.lib.format.read_magic(file)[0]
    headers = {1: np.lib.format.read_array_header_1_0, 2: np.lib.format.read_array_header_2_0}
    shape, _, dtype = headers[version](file)
    content = size - file.tell()

    def read() -> np.ndarray:
        file.seek(0)
        return np.lib.format.read_array(file, allow_pickle=False)

    return {"features": partial(unpacked, shape, dtype, content, read)}


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

    def array(dtype: str, shape: list[int], data_offsets: list[int]) -> Array:
        first, last = data_offsets
        known = np.dtype(SAFETENSORS.get(dtype) or f"<{dtype[0].lower()}{int(dtype[1:]) // 8}")

        def read() -> np.ndarray:
            file.seek(8 + length + first)
            values = np.frombuffer(file.read(last - first), known).reshape(shape)
            return widened(values) if dtype == "BF16" else values

        return partial(unpacked, tuple(shape), known, last - first, read)

    return {name: array(**entry) for name, entry in header.items()}


def _parquet(file: IO[bytes], _: int) -> dict[str, Array]:
    table = pq.ParquetFile(file)
    return {name: partial(_column, table, name) for name in table.schema_arrow.names}


def _column(table: pq.ParquetFile, name: str, whole: bool) -> np.ndarray:
    """Return a column of numbers, words or vectors of one length."""
    groups = [table.metadata.row_group(number) for number in range(table.num_row_groups)]
    leaves = [group.column(number) for group in groups for number in range(group.num_columns)]
    count = sum(leaf.num_values for leaf in leaves if leaf.path_in_schema.split(".")[0] == name)
    rows = table.metadata.num_rows
    require_unpackable("a column", 8 * count)
    is_vector = pa.types.is_nested(table.schema_arrow.field(name).type)
    shape = (rows, count // max(rows, 1)) if is_vector else (rows,)
    if is_vector and not whole:
        return np.broadcast_to(np.float32(0), shape)
    column = table.read(columns=[name]).column(0).combine_chunks()
    if is_vector and not pc.all(pc.equal(pc.list_value_length(column), shape[1])).as_py():
        raise ValueError(f"vectors in {name} differ in length")
    flat = column.flatten() if is_vector else column
    if column.null_count or flat.null_count:
        raise ValueError(f"{name} lacks values")
    values = flat.to_numpy(zero_copy_only=False).reshape(shape)
    return values.astype(str) if values.dtype == object else values


READERS: Mapping[str, Callable[[IO[bytes], int], dict[str, Array]]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".safetensors": _safetensors,
    ".parquet": _parquet,
}
"""By suffix what returns the arrays of a file of so many bytes, none of which is read yet."""
