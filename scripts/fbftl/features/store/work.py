"""The work folder of an extraction: finished chunks, each with a record that vouches for it.

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

from fbftl.features.store.format import sha256_of
from fbftl.features.store.ragged import Column, FeatureKind, Ragged
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
