"""Named arrays in files (.npy, .npz, .safetensors, Parquet) and in feature stores.

Libraries read them, pickled objects refused. Shapes are known from headers; values are read where
they are asked for. A store's `zarr.json` has the SHA-256 of every array (docs/formats.md), so that
one digest vouches for all.
"""

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from fbftl.data.datasets.base import require_unpackable
from fbftl.ground.errors import UserError

NPY = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
"""What reads a header by its version; later ones are for names of fields."""


@dataclass(frozen=True)
class Stored:
    """An array that is not read yet."""

    shape: tuple[int, ...]
    read: Callable[[], np.ndarray]


def verified(path: Path, expected: str | None) -> bytes:
    """Return what a file holds, refused if its SHA-256 is not the expected one, if any is given."""
    content = path.read_bytes()
    if expected not in (None, found := hashlib.sha256(content).hexdigest()):
        raise UserError(
            f"{path} has the SHA-256 {found}, and data.sha256 is {expected}; get the right file, "
            "or correct data.sha256 if this is the file you mean"
        )
    return content


def arrays_in(path: Path, expected: str | None = None) -> dict[str, Stored]:
    """Return the arrays of a file by name; that of .npy is called `features`.

    Where it must have a SHA-256, what is parsed are the bytes that were hashed.

    Raises:
        UserError: if it is no such file. What its library raises passes.
    """
    if path.suffix not in READERS or not path.is_file():
        raise UserError(f"{path} is no file of {', '.join(READERS)}; name one, or a store's folder")
    return READERS[path.suffix](path if expected is None else BytesIO(verified(path, expected)))


def vectors(values: np.ndarray) -> np.ndarray:
    """Return rows of finite numbers as float32."""
    with np.errstate(over="ignore"):
        values = values.astype(np.float32)
    wrong = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(wrong):
        raise ValueError(f"sample {wrong[0]} has a value that is no finite number of 32 bits")
    return values


def _npy(source: Path | BytesIO) -> dict[str, Stored]:
    mapped: Any = "r" if isinstance(source, Path) else None
    values = np.load(source, mmap_mode=mapped, allow_pickle=False)
    return {"features": Stored(values.shape, lambda: np.array(values))}


def _npz(source: Path | BytesIO) -> dict[str, Stored]:
    archive = np.load(source, allow_pickle=False)

    def shape(name: str) -> tuple[int, ...]:
        with archive.zip.open(f"{name}.npy") as entry:
            return NPY[np.lib.format.read_magic(entry)](entry)[0]

    return {name: Stored(shape(name), partial(archive.__getitem__, name)) for name in archive}


def _safetensors(source: Path | BytesIO) -> dict[str, Stored]:
    from safetensors import safe_open, torch

    if isinstance(source, BytesIO):
        tensors = torch.load(source.getvalue())
        return {name: Stored((*of.shape,), partial(_numbers, of)) for name, of in tensors.items()}
    file = safe_open(source, framework="numpy")

    def read(name: str) -> np.ndarray:
        if file.get_slice(name).get_dtype() == "BF16":  # which NumPy lacks
            return _numbers(safe_open(source, framework="pt").get_tensor(name))
        return file.get_tensor(name)

    return {
        name: Stored(tuple(file.get_slice(name).get_shape()), partial(read, name))
        for name in file.keys()  # noqa: SIM118
    }


def _numbers(tensor: Any) -> np.ndarray:
    return (tensor.float() if tensor.is_floating_point() else tensor).numpy()


def _parquet(source: Path | BytesIO) -> dict[str, Stored]:
    table = pq.ParquetFile(source)
    # Nothing of a footer's columns is asked for: Arrow ends the process where they are damaged.
    groups = [table.metadata.row_group(number) for number in range(table.num_row_groups)]
    require_unpackable("a column", sum(group.total_byte_size for group in groups))
    first = next(table.iter_batches(1), None)
    if first is None:
        raise ValueError("it has no rows")
    stored = {}
    for name, kind in zip(table.schema_arrow.names, first.schema.types, strict=True):
        width = [len(first[name].flatten())] if pa.types.is_nested(kind) else []
        shape = table.metadata.num_rows, *width
        stored[name] = Stored(shape, partial(_column, table, name, shape))
    return stored


def _column(table: pq.ParquetFile, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return a column of numbers, words or vectors of one length."""
    require_unpackable("a column", 8 * math.prod(shape))
    column = table.read(columns=[name]).column(0).combine_chunks()
    is_vector = len(shape) == 2
    if is_vector and not pc.all(pc.equal(pc.list_value_length(column), shape[1])).as_py():
        raise ValueError(f"vectors in {name} differ in length")
    flat = column.flatten() if is_vector else column
    if column.null_count or flat.null_count:
        raise ValueError(f"{name} lacks values")
    values = flat.to_numpy(zero_copy_only=False)
    return values.astype(str) if values.dtype == object else values.reshape(shape)


READERS: Mapping[str, Callable[[Path | BytesIO], dict[str, Stored]]] = {
    ".npy": _npy,
    ".npz": _npz,
    ".safetensors": _safetensors,
    ".parquet": _parquet,
}
"""By suffix what returns the arrays of a file, none of which is read yet."""


ARRAYS = {"features": "features", "labels": "labels", "clients": "client", "sample": "sample"}
"""Array of each split of a store by what it holds."""


def splits_of(folder: Path, expected: str | None) -> list[dict[str, Stored]]:
    """Return the arrays of the training and of the test split of a store.

    The SHA-256 of its `zarr.json`, if one is expected, vouches for those of its arrays.

    Raises:
        OSError, ValueError, KeyError: if it is no store of this format.
    """
    import zarr

    document = json.loads(verified(folder / "zarr.json", expected))["attributes"]
    if ragged := [name for name in document["arrays"] if name.endswith("offsets")]:
        raise ValueError(f"by {ragged[0]} its rows differ in length")
    group = zarr.open_group(folder, mode="r", zarr_format=3, use_consolidated=False)

    def stored(name: str) -> Stored:
        array, entry = group[name], document["arrays"][name]
        require_unpackable(folder / name, array.nbytes)

        def read() -> np.ndarray:
            values: Any = array[:]
            if hashlib.sha256(values).hexdigest() != entry["sha256"]:
                raise ValueError(f"{name} is not what zarr.json says")
            is_bfloat16 = document["dtype"] == "bfloat16" and name.endswith("/features")
            return (values.astype(np.uint32) << 16).view(np.float32) if is_bfloat16 else values

        return Stored(array.shape, read)

    return [
        {key: stored(f"{split}/{ARRAYS[key]}") for key in ARRAYS} for split in ("train", "test")
    ]
