"""The work folder of an extraction: finished chunks, and the journal that vouches for them.

A chunk counts as finished when its line is in the journal and its files have the digests that the
line gives. Everything else in the folder (a torn last line, a half-written or unrecorded file) is
dropped when the extraction goes on.

    .features.work/
      journal.jsonl    line 1: what is being extracted; then one line per finished chunk
      store/           the store in the making
      rows/            per chunk, labels and ids of the rows that end in it
"""

import io
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fbftl.features.store.format import sha256_of
from fbftl.features.store.ragged import Column, FeatureKind, Ragged
from fbftl.ground.durable import write_durably
from fbftl.ground.files import writing

JOURNAL = "journal.jsonl"


@dataclass(frozen=True)
class FinishedChunk:
    """One line of the journal.

    split: the split it belongs to.
    chunk: its number within the split's features.
    kind: width of the features and whether they are ragged.
    units: feature vectors in it; 0 if only rows of length zero were left, then without file.
    key: its file below ``store/``.
    features_sha256: digest of that file.
    rows_sha256: digest of its file of labels and ids.
    """

    split: str
    chunk: int
    kind: FeatureKind
    units: int
    key: str
    features_sha256: str
    rows_sha256: str

    @property
    def rows(self) -> str:
        """Name of the chunk's file of labels and ids below ``rows/``."""
        return f"{self.split}.{self.chunk}.npz"


class WorkFolder:
    """Finished chunks of one extraction, whose only process this is.

    Args:
        path: the folder.
        header: what is being extracted, JSON-ready; chunks made under another header are dropped.
    """

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        self.path = path
        self.store = path / "store"
        self.rows = path / "rows"
        self._header = json.loads(json.dumps(header))
        self._journal = path / JOURNAL
        self.chunks = self._load()
        self._rewrite_journal()
        self._drop_unrecorded_files()

    def add(
        self,
        split: str,
        *,
        kind: FeatureKind,
        units: int,
        key: str,
        content: bytes,
        rows: Mapping[str, Column],
    ) -> None:
        """Record the split's next chunk: its encoded features and the columns of its rows."""
        packed = _pack(rows)
        finished = FinishedChunk(
            split=split,
            chunk=len(self.chunks[split]),
            kind=kind,
            units=units,
            key=key,
            features_sha256=sha256_of(content),
            rows_sha256=sha256_of(packed),
        )
        write_durably(self.rows / finished.rows, packed)
        if units:
            write_durably(self.store / key, content)
        with writing(self._journal), open(self._journal, "a", encoding="utf-8") as journal:
            journal.write(json.dumps(asdict(finished), sort_keys=True) + "\n")
            journal.flush()
            os.fsync(journal.fileno())
        self.chunks[split].append(finished)

    def columns(self, finished: FinishedChunk) -> dict[str, Column]:
        """Return the columns of the rows that end in a chunk."""
        return _unpack((self.rows / finished.rows).read_bytes())

    def delete(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.path)

    def _load(self) -> dict[str, list[FinishedChunk]]:
        """Return, per split, the unbroken run of finished chunks from the first on."""
        chunks: dict[str, list[FinishedChunk]] = {}
        broken: set[str] = set()
        for line in self._journal_lines():
            finished = FinishedChunk(**{**line, "kind": FeatureKind(**line["kind"])})
            run = chunks.setdefault(finished.split, [])
            if finished.split in broken or finished.chunk != len(run) or not self._whole(finished):
                broken.add(finished.split)
            else:
                run.append(finished)
        return chunks

    def _journal_lines(self) -> list[dict[str, Any]]:
        if not self._journal.exists():
            return []
        lines = []
        for text in self._journal.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                lines.append(json.loads(text))
            except json.JSONDecodeError:
                break
        return lines[1:] if lines and lines[0] == self._header else []

    def _whole(self, finished: FinishedChunk) -> bool:
        files = {self.rows / finished.rows: finished.rows_sha256}
        if finished.units:
            files[self.store / finished.key] = finished.features_sha256
        return all(
            path.exists() and sha256_of(path.read_bytes()) == digest
            for path, digest in files.items()
        )

    def _rewrite_journal(self) -> None:
        finished = [asdict(chunk) for run in self.chunks.values() for chunk in run]
        lines = [json.dumps(line, sort_keys=True) + "\n" for line in [self._header, *finished]]
        write_durably(self._journal, "".join(lines).encode())

    def _drop_unrecorded_files(self) -> None:
        finished = [chunk for run in self.chunks.values() for chunk in run]
        keep = {self.rows / chunk.rows for chunk in finished}
        keep |= {self.store / chunk.key for chunk in finished}
        for folder in (self.store, self.rows):
            with writing(folder):
                folder.mkdir(exist_ok=True)
                for path in folder.rglob("*"):
                    if path.is_file() and path not in keep:
                        path.unlink()


def _pack(columns: Mapping[str, Column]) -> bytes:
    arrays = {}
    for name, column in columns.items():
        if isinstance(column, Ragged):
            arrays[f"{name}.lengths"] = column.lengths
            column = column.values
        arrays[name] = column
    packed = io.BytesIO()
    np.savez(packed, allow_pickle=False, **arrays)
    return packed.getvalue()


def _unpack(packed: bytes) -> dict[str, Column]:
    with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
        return {
            name: (
                Ragged.from_lengths(arrays[name], arrays[f"{name}.lengths"])
                if f"{name}.lengths" in arrays
                else arrays[name]
            )
            for name in arrays
            if not name.endswith(".lengths")
        }
