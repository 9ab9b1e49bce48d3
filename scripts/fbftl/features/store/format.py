"""The format of a feature store: names, chunks, codecs, dtypes, ragged columns (docs/formats.md).

A finished store is plain Zarr v3: a root group with the store's document as attributes, one group
per split, one array per column. Metadata files and chunks are made here as bytes, in memory, so
that the writer alone decides when and how they reach the disk, and equal content gives equal bytes.

Features are float32 as computed, or float16 or bfloat16 at half the size. Zarr v3 has no core
bfloat16, so its bits are stored as uint16 and readers widen them. Both short formats round to
nearest even; the relative error of a normal number is at most

    float16   2**-11 (4.9e-4), largest value 65,504, absolute error below 6.1e-5: at most 3.0e-8
    bfloat16  2**-8  (3.9e-3), range of float32
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import zarr
from zarr.codecs import Crc32cCodec, ZstdCodec
from zarr.core.buffer.cpu import Buffer
from zarr.storage import MemoryStore

from fbftl.ground.errors import UserError

VERSION = 1

FEATURE_CHUNK_BYTES = 8 * 2**20
"""Size of a decoded feature chunk: between 4 and 16 MB, the unit of reading and of resuming."""

COLUMN_CHUNK_BYTES = 4 * 2**20
"""Size of a decoded chunk of labels, ids and offsets."""

ZSTD_LEVEL = 0
"""zstd's own default. Measured on ReLU features: higher levels and byte shuffling do not pay."""

OFFSETS = {"features": "offsets", "labels": "label_offsets", "tokens": "token_offsets"}
"""Array that holds the offsets of a ragged column."""

FLAT_DIMENSION = {"features": "token", "labels": "label_token", "tokens": "input_token"}
"""Name of the first dimension of a ragged column's flat array, for xarray."""


@dataclass(frozen=True)
class ArrayLayout:
    """Shape (units × ...), chunk shape, NumPy dtype name and dimension names of one array."""

    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    dtype: str
    dimensions: tuple[str, ...]

    @property
    def chunk_count(self) -> int:
        """Number of chunks along the first axis; arrays have one chunk along the others."""
        return -(-self.shape[0] // self.chunks[0])

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "ArrayLayout":
        """Read what `asdict` and JSON made of one."""
        shape, chunks, dimensions = (
            tuple(document[key]) for key in ("shape", "chunks", "dimensions")
        )
        return cls(shape, chunks, document["dtype"], dimensions)


def rows_per_chunk(shape: tuple[int, ...], itemsize: int, chunk_bytes: int) -> int:
    """Return how many rows of a (n, ...) array fit a chunk; at least one."""
    row_bytes = int(np.prod(shape[1:], dtype=np.int64)) * itemsize
    return max(1, chunk_bytes // max(1, row_bytes))


def first_dimension(array: str, arrays: Collection[str]) -> str:
    """Return the name of an array's first dimension, given the names of all arrays of its split."""
    if array in OFFSETS.values():
        return "row_edge"
    return FLAT_DIMENSION[array] if OFFSETS.get(array) in arrays else "row"


def column_layout(values: np.ndarray, dimension: str) -> ArrayLayout:
    """Return the layout of a column's array (labels, ids, offsets, tokens)."""
    dimensions = (dimension, *(f"{dimension}_axis{axis}" for axis in range(1, values.ndim)))
    rows = rows_per_chunk(values.shape, values.itemsize, COLUMN_CHUNK_BYTES)
    chunks = (max(1, min(rows, len(values))), *values.shape[1:])
    return ArrayLayout(values.shape, chunks, values.dtype.name, dimensions)


def chunk_key(array: str, chunk: int, layout: ArrayLayout) -> str:
    """Return the file of one chunk, e.g. ``train/features/c/3/0``."""
    return "/".join([array, "c", str(chunk), *["0"] * (len(layout.shape) - 1)])


def encode_chunk(values: np.ndarray, layout: ArrayLayout) -> bytes:
    """Encode the rows of one chunk; fewer than a chunk's rows are padded with zeros."""
    files: dict[str, Any] = {}
    array = _create(MemoryStore(files), "a", replace(layout, shape=layout.chunks))
    padded = np.zeros(layout.chunks, layout.dtype)
    padded[: len(values)] = values
    array[:] = padded
    return files[chunk_key("a", 0, layout)].to_bytes()


def decode_chunk(content: bytes, layout: ArrayLayout) -> np.ndarray:
    """Return the rows of an encoded chunk, padding included.

    Raises:
        ValueError, RuntimeError: if its checksum or its content is wrong.
    """
    files: dict[str, Any] = {}
    array = _create(MemoryStore(files), "a", replace(layout, shape=layout.chunks))
    files[chunk_key("a", 0, layout)] = Buffer.from_bytes(content)
    return array[:]


def metadata_files(document: Mapping[str, Any]) -> dict[str, bytes]:
    """Return every ``zarr.json`` of the store that `document` describes, the root's last.

    A store without its root file does not open, so writing it last is what finishes a store.
    """
    document = json.loads(json.dumps(document, sort_keys=True))  # one order, one set of bytes
    files: dict[str, Any] = {}
    memory = MemoryStore(files)
    root = zarr.create_group(memory, attributes=document)
    for split in document["counts"]:
        root.create_group(split)
    for name, entry in document["arrays"].items():
        _create(memory, name, ArrayLayout.from_document(entry))
    names = [*document["arrays"], *document["counts"]]
    keys = [*(f"{name}/zarr.json" for name in names), "zarr.json"]
    return {key: files[key].to_bytes() for key in keys}


def sha256_of(content: bytes | np.ndarray) -> str:
    """Return the hex SHA-256 digest of bytes, or of an array's."""
    return hashlib.sha256(content).hexdigest()


def sealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return `document` with the digest of its own content, so that it proves itself."""
    content = {key: value for key, value in document.items() if key != "digest"}
    return {**content, "digest": sha256_of(json.dumps(content, sort_keys=True).encode())}


def is_sealed(document: Mapping[str, Any]) -> bool:
    """Return whether a document still is what it was when it was sealed."""
    return document.get("digest") == sealed(document)["digest"]


def _create(store: MemoryStore, name: str, layout: ArrayLayout) -> zarr.Array:
    return zarr.create_array(
        store,
        name=name,
        shape=layout.shape,
        chunks=layout.chunks,
        dtype=layout.dtype,
        compressors=[ZstdCodec(level=ZSTD_LEVEL), Crc32cCodec()],
        fill_value=0,
        dimension_names=layout.dimensions,
        # Otherwise a chunk of zeros would be no file, and a lost file would read as zeros.
        config={"write_empty_chunks": True},
    )


STORED_AS = {"float32": "float32", "float16": "float16", "bfloat16": "uint16"}
"""Feature dtype -> dtype of the Zarr array that holds it."""


def storage_dtype(dtype: str) -> np.dtype:
    """Return the NumPy dtype that holds features of `dtype` on disk.

    Raises:
        UserError: if `dtype` is none of float32, float16, bfloat16.
    """
    if dtype not in STORED_AS:
        raise UserError(
            f"Feature dtype {dtype!r} is unknown: choose one of {', '.join(STORED_AS)}."
        )
    return np.dtype(STORED_AS[dtype])


def to_storage(values: np.ndarray, dtype: str) -> np.ndarray:
    """Round float32 features to their storage dtype.

    Raises:
        UserError: if a finite value overflows float16.
    """
    values = np.ascontiguousarray(values, dtype=np.float32)
    if dtype == "float16":
        with np.errstate(over="ignore"):
            short = values.astype(np.float16)
        if np.any(np.isinf(short) & np.isfinite(values)):
            largest = float(np.abs(values[np.isfinite(values)]).max())
            raise UserError(
                f"A feature of {largest:g} does not fit float16 (at most 65504): "
                "store these features as bfloat16 or float32."
            )
        return short
    if dtype == "bfloat16":
        # The upper 16 bits of float32, rounded to nearest even; NaN stays NaN.
        bits = values.view(np.uint32)
        rounding = 0x7FFF + ((bits >> 16) & 1)
        with np.errstate(over="ignore"):
            rounded = ((bits + rounding) >> 16).astype(np.uint16)
        return np.where(np.isnan(values), np.uint16(0x7FC0), rounded)
    return values


def from_storage(stored: np.ndarray, dtype: str) -> np.ndarray:
    """Widen stored features to float32; exact for every storage dtype."""
    if dtype == "bfloat16":
        return (stored.astype(np.uint32) << 16).view(np.float32)
    return stored.astype(np.float32, copy=False)


@dataclass(frozen=True)
class Ragged:
    """Rows of different length, laid end to end.

    values: (total, ...) all rows' values, one row after the other.
    offsets: (n + 1,) int64; row i is ``values[offsets[i]:offsets[i + 1]]``.
    """

    values: np.ndarray
    offsets: np.ndarray

    @classmethod
    def from_lengths(cls, values: np.ndarray, lengths: Sequence[int] | np.ndarray) -> "Ragged":
        """Cut `values` into rows of the given lengths."""
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        return cls(values, offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, rows: slice) -> "Ragged":
        start, stop, _ = rows.indices(len(self))
        offsets = self.offsets[start : max(start, stop) + 1]
        return Ragged(self.values[offsets[0] : offsets[-1]], offsets - offsets[0])

    @property
    def lengths(self) -> np.ndarray:
        """(n,) int64 length of each row."""
        return np.diff(self.offsets)

    def rows(self) -> list[np.ndarray]:
        """Return one array of shape (length_i, ...) per row."""
        return np.split(self.values, self.offsets[1:-1])


Column = np.ndarray | Ragged
"""One value, vector or variable-length run per row."""


def as_column(rows: "np.ndarray | Ragged | Sequence[np.ndarray]") -> Column:
    """Return an array as it is and a list of arrays as a ragged column."""
    if isinstance(rows, np.ndarray | Ragged):
        return rows
    arrays = [np.asarray(row) for row in rows]
    return Ragged.from_lengths(np.concatenate(arrays), [len(array) for array in arrays])


def concatenate(parts: Sequence[Column]) -> Column:
    """Join columns of one kind, one after the other; at least one part."""
    if isinstance(parts[0], Ragged):
        values = np.concatenate([part.values for part in parts])
        return Ragged.from_lengths(values, np.concatenate([part.lengths for part in parts]))
    return np.concatenate(parts)


@dataclass(frozen=True)
class FeatureKind:
    """What every batch of one split has in common: numbers per vector, and whether rows vary."""

    width: int
    ragged: bool

    @classmethod
    def of(cls, features: Column) -> "FeatureKind":
        """Return the kind of (n, width) or ragged (total, width) features.

        Raises:
            UserError: if the features have another number of dimensions.
        """
        ragged = isinstance(features, Ragged)
        vectors = features.values if ragged else features
        if vectors.ndim != 2:
            raise UserError(
                f"Features of shape {vectors.shape} cannot be stored: pool or flatten the cut "
                "layer's output to one vector per sample or per position."
            )
        return cls(vectors.shape[1], ragged)
