"""Writing a store: finished chunks in a work folder, each with a record that vouches for it.

A chunk counts as finished when its record can be read and its file has the digest that the record
gives. Chunks behind the first unfinished one are made again.

    .features.work/
      header.json      what is being extracted
      store/           the store in the making
      rows/            per chunk, its record with labels and ids of the rows that end in it
"""

import io
import json
import shutil
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fbftl.features.store.format import (
    OFFSETS,
    ArrayLayout,
    Column,
    FeatureKind,
    Ragged,
    chunk_key,
    concatenate,
    encode_chunk,
    first_dimension,
    rows_per_chunk,
    sha256_of,
    storage_dtype,
    to_storage,
)
from fbftl.features.store.provenance import Target
from fbftl.ground.errors import UserError
from fbftl.ground.files import remove_leftovers, write_durably, writing

HEADER, RECORD = "header.json", "record"

DIGEST = 64
"""Bytes before a record: a SHA-256 in hex."""


@dataclass(frozen=True)
class FinishedChunk:
    """A finished chunk of a split.

    kind: width of the features and whether they are ragged.
    units: feature vectors in it; 0 if only rows of length zero were left, then without file.
    key: its file below ``store/``.
    columns: labels and ids of the rows that end in it.
    """

    kind: FeatureKind
    units: int
    key: str
    columns: Mapping[str, Column]


class WorkFolder:
    """Finished chunks of one extraction, whose only process this is.

    Args:
        path: the folder.
        header: what is being extracted, JSON-ready; chunks made under another header are dropped.
        splits: names of the splits.
    """

    def __init__(self, path: Path, header: Mapping[str, Any], splits: Collection[str]) -> None:
        self.path = path
        self.store = path / "store"
        content = self._header = json.dumps(header, sort_keys=True).encode()
        if not (path / HEADER).is_file() or (path / HEADER).read_bytes() != content:
            shutil.rmtree(path, ignore_errors=True)
        write_durably(path / HEADER, content)
        with writing(self.store):
            self.store.mkdir(exist_ok=True)
        remove_leftovers(path)
        self.chunks = {split: self._finished(split) for split in splits}

    def add(
        self, split: str, kind: FeatureKind, units: int, key: str, content: bytes,
        columns: Mapping[str, Column],
    ) -> None:  # fmt: skip
        """Record the split's next chunk: its encoded features and the columns of its rows."""
        record = {**asdict(kind), "units": units, "key": key, "sha256": sha256_of(content)}
        if units:
            write_durably(self.store / key, content)
        write_durably(
            self._record(split, len(self.chunks[split])), self._with_digest(_pack(record, columns))
        )
        self.chunks[split].append(FinishedChunk(kind, units, key, columns))

    def delete(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.path)

    def _with_digest(self, packed: bytes) -> bytes:
        """Return a record behind its digest, which is that of the header too."""
        return sha256_of(self._header + packed).encode() + packed

    def _record(self, split: str, chunk: int) -> Path:
        return self.path / "rows" / f"{split}.{chunk}.npz"

    def _finished(self, split: str) -> list[FinishedChunk]:
        """Return the unbroken run of a split's finished chunks from the first on."""
        chunks: list[FinishedChunk] = []
        while (chunk := self._read(self._record(split, len(chunks)))) is not None:
            chunks.append(chunk)
        return chunks

    def _read(self, path: Path) -> FinishedChunk | None:
        """Return a chunk by its record, None if either is not whole."""
        try:
            content = path.read_bytes()
            if content != self._with_digest(content[DIGEST:]):
                return None
            record, columns = _unpack(content[DIGEST:])
            content = (self.store / record["key"]).read_bytes() if record["units"] else b""
        except OSError:
            return None
        if record["units"] and sha256_of(content) != record["sha256"]:
            return None
        kind = FeatureKind(record["width"], record["ragged"])
        return FinishedChunk(kind, record["units"], record["key"], columns)


def _pack(record: Mapping[str, Any], columns: Mapping[str, Column]) -> bytes:
    arrays = {RECORD: np.array(json.dumps(record))}
    for name, column in columns.items():
        if isinstance(column, Ragged):
            arrays[f"{name}.lengths"] = column.lengths
            column = column.values
        arrays[name] = column
    packed = io.BytesIO()
    np.savez(packed, allow_pickle=False, **arrays)
    return packed.getvalue()


def _unpack(packed: bytes) -> tuple[dict[str, Any], dict[str, Column]]:
    with np.load(io.BytesIO(packed), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive}
    columns: dict[str, Column] = {}
    for name, values in arrays.items():
        lengths = arrays.get(f"{name}.lengths")
        if name != RECORD and not name.endswith(".lengths"):
            columns[name] = values if lengths is None else Ragged.from_lengths(values, lengths)
    return json.loads(str(arrays[RECORD])), columns


LENGTHS = "lengths"
"""Column of the rows' lengths while they are pending; finished stores hold offsets instead."""


class SplitWriter:
    """Collects the rows of one split into chunks of features.

    A unit is one feature vector: a row, or one position of a ragged row. Chunks hold a fixed number
    of units, so a ragged row may cross chunks; it is finished with the chunk that holds its last
    unit. After a restart, `next_row` is the first unfinished row, and units of it that are already
    in a finished chunk are skipped.

    Args:
        work: the work folder, whose finished chunks of this split are kept.
        target: says the dtype and the chunk size.
        split: name of the split.
        count: rows that the split will have, at least one.
    """

    def __init__(self, work: WorkFolder, target: Target, split: str, count: int) -> None:
        self._work = work
        self._target = target
        self._split = split
        self._count = count
        self._kind: FeatureKind | None = None
        self._pending: list[dict[str, Column]] = []
        self._filled = 0
        self._units_to_skip = 0
        self._finished_units = 0
        self.next_row = 0
        """Number of the first row that is still to be appended."""
        self._restore()

    @property
    def is_finished(self) -> bool:
        """Whether every row of the split has been appended."""
        return self.next_row == self._count

    def append(self, start: int, features: Column, columns: Mapping[str, Column]) -> None:
        """Add rows ``start, start + 1, ...``; rows that are already there are skipped.

        Args:
            start: number of the first row, at most `next_row`.
            features: (n, width) float32, or ragged (total, width).
            columns: labels, client, sample (and tokens) of the same n rows.

        Raises:
            UserError: if features have another width or kind than those before, or the disk is
                full; finished chunks are not lost.
        """
        new = slice(self.next_row - start, len(features))
        if new.start >= new.stop:
            return
        self._settle(FeatureKind.of(features))
        features = features[new]
        rows = {name: column[new] for name, column in columns.items()}
        ragged = isinstance(features, Ragged)
        rows[LENGTHS] = features.lengths if ragged else np.ones(len(features), np.int64)
        self._pending.append(rows)
        self.next_row += len(features)
        self._fill((features.values if ragged else features)[self._units_to_skip :])
        self._units_to_skip = 0
        if self.is_finished and (self._filled or self._pending):
            self._finish_chunk()

    def layout(self) -> ArrayLayout:
        """Return the layout of the finished split's features."""
        units = sum(chunk.units for chunk in self._work.chunks[self._split])
        first = first_dimension("features", ["offsets"] if self._kind.ragged else [])
        return ArrayLayout(
            (units, self._kind.width),
            self._chunk_layout.chunks,
            self._chunk_layout.dtype,
            (first, "feature"),
        )

    def columns(self) -> dict[str, np.ndarray]:
        """Return labels, ids and the offsets of ragged columns of the finished split, by array."""
        parts = [chunk.columns for chunk in self._work.chunks[self._split]]
        columns = {name: concatenate([part[name] for part in parts]) for name in parts[0]}
        lengths = columns.pop(LENGTHS)
        arrays = {}
        if self._kind.ragged:
            arrays["offsets"] = Ragged.from_lengths(np.empty(0), lengths).offsets
        for name, column in columns.items():
            if isinstance(column, Ragged):
                arrays[OFFSETS[name]] = column.offsets
                column = column.values
            arrays[name] = column
        return arrays

    def _restore(self) -> None:
        finished = self._work.chunks[self._split]
        for chunk in finished:
            lengths = chunk.columns[LENGTHS]
            self.next_row += len(lengths)
            self._finished_units += int(lengths.sum())
        if finished:
            self._settle(finished[0].kind)
            self._units_to_skip = sum(chunk.units for chunk in finished) - self._finished_units

    def _settle(self, kind: FeatureKind) -> None:
        """Fix the kind of features with the first batch and hold later ones to it."""
        if self._kind is None:
            self._kind = kind
            dtype = storage_dtype(self._target.provenance.dtype)
            units = rows_per_chunk((0, kind.width), dtype.itemsize, self._target.chunk_bytes)
            shape = (units if kind.ragged else min(units, self._count), kind.width)
            self._chunk_layout = ArrayLayout(shape, shape, dtype.name, ("unit", "feature"))
            self._buffer = np.empty(shape, dtype)
        elif kind != self._kind:
            raise UserError(
                f"Features of cut {self._target.provenance.cut} change within split "
                f"{self._split}: {self._kind} before row {self.next_row}, {kind} there."
            )

    def _fill(self, units: np.ndarray) -> None:
        """Move units into the chunk being filled, finishing chunks as they get full."""
        while len(units):
            taken = units[: len(self._buffer) - self._filled]
            if not np.isfinite(taken).all():
                raise UserError(
                    f"Features of cut {self._target.provenance.cut} in split {self._split} hold "
                    "values that are no finite numbers: check the source model's weights and the "
                    "input's mean and std."
                )
            stored = to_storage(taken, self._target.provenance.dtype)
            self._buffer[self._filled : self._filled + len(taken)] = stored
            self._filled += len(taken)
            units = units[len(taken) :]
            if self._filled == len(self._buffer):
                self._finish_chunk()

    def _finish_chunk(self) -> None:
        """Record the chunk being filled, with the rows whose last unit it holds."""
        chunks = self._work.chunks[self._split]
        pending = {
            name: concatenate([rows[name] for rows in self._pending]) for name in self._pending[0]
        }
        ends = self._finished_units + np.cumsum(pending[LENGTHS])
        units = sum(chunk.units for chunk in chunks) + self._filled
        done = int(np.searchsorted(ends, units, side="right"))
        self._work.add(
            self._split,
            kind=self._kind,
            units=self._filled,
            key=chunk_key(f"{self._split}/features", len(chunks), self._chunk_layout),
            content=encode_chunk(self._buffer[: self._filled], self._chunk_layout),
            columns={name: column[:done] for name, column in pending.items()},
        )
        self._finished_units += int(pending[LENGTHS][:done].sum())
        left = {name: column[done:] for name, column in pending.items()}
        self._pending = [left] if done < len(ends) else []
        self._filled = 0
