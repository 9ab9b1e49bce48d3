"""Reading a finished store: the whole of a split, a subset, or a stream of shuffled batches."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import zarr

from fbftl.features.store.arrays import CheckedArray
from fbftl.features.store.dtypes import from_storage
from fbftl.features.store.features import Features
from fbftl.features.store.format import OFFSETS
from fbftl.features.store.provenance import Provenance, provenance_of
from fbftl.features.store.ragged import Ragged
from fbftl.features.store.stream import shuffled_batches

Rows = slice | np.ndarray | None
"""All rows (None), a contiguous slice, row numbers, or a boolean mask over the split."""


class FeatureStore:
    """A finished store, opened with `open_store`. Every chunk is verified as it is read."""

    def __init__(self, group: zarr.Group, document: Mapping[str, Any], name: str) -> None:
        self.name = name
        self.provenance: Provenance = provenance_of(document)
        self._group = group
        self.document = document
        """What the store says about itself (the attributes of its root group)."""
        self._small: dict[tuple[str, str], np.ndarray] = {}  # labels, ids, offsets: read once

    @property
    def digest(self) -> str:
        """SHA-256 of the store's document, which holds the digests of all its arrays."""
        return self.document["digest"]

    @property
    def splits(self) -> tuple[str, ...]:
        """Names of the splits."""
        return tuple(self.provenance.counts)

    @property
    def width(self) -> int:
        """Numbers per feature vector."""
        return self.provenance.width

    @property
    def arrays(self) -> Mapping[str, Mapping[str, Any]]:
        """Shape, chunks, dtype and SHA-256 of every array, by name."""
        return self.document["arrays"]

    def count(self, split: str) -> int:
        """Return the number of rows of a split."""
        if split not in self.provenance.counts:
            raise KeyError(f"no split {split!r} in {self.name}; there are {self.splits}")
        return self.provenance.counts[split]

    def is_ragged(self, split: str) -> bool:
        """Return whether the rows of a split differ in length."""
        return self._has(split, "offsets")

    def labels(self, split: str) -> np.ndarray | Ragged:
        """Return all labels of a split; its features are not touched."""
        return self._column(split, "labels")

    def clients(self, split: str) -> np.ndarray:
        """Return (n,) int32 the client of each row; features are not touched."""
        return self._column(split, "client")

    def samples(self, split: str) -> np.ndarray:
        """Return (n,) int64 the data set's sample number of each row; features are not touched."""
        return self._column(split, "sample")

    def lengths(self, split: str) -> np.ndarray:
        """Return (n,) int64 the number of feature vectors of each row; 1 unless ragged."""
        if self.is_ragged(split):
            return np.diff(self._all(split, "offsets"))
        return np.ones(self.count(split), np.int64)

    def read(self, split: str, rows: Rows = None) -> Features:
        """Return rows of a split, reading only the chunks that they touch.

        Raises:
            UserError: naming store, array and chunk if a chunk is missing or damaged.
            IndexError: if a row number is out of range.
        """
        rows = self._resolved(split, rows)
        values, offsets = self._rows_of(split, "features", rows)
        labels, label_offsets = self._rows_of(split, "labels", rows)
        tokens, token_offsets = None, None
        if self._has(split, "tokens"):
            tokens, token_offsets = self._rows_of(split, "tokens", rows)
        return Features(
            values=from_storage(values, self.provenance.dtype),
            labels=labels,
            client=self._all(split, "client")[rows],
            sample=self._all(split, "sample")[rows],
            domain=self._all(split, "domain")[rows] if self._has(split, "domain") else None,
            offsets=offsets,
            label_offsets=label_offsets,
            tokens=tokens,
            token_offsets=token_offsets,
        )

    def stream(
        self,
        split: str,
        batch: int,
        seed: int,
        memory_limit_bytes: int,
        rows: Rows = None,
    ) -> Iterator[Features]:
        """Yield every row once in shuffled batches, within a memory bound.

        See `fbftl.features.store.stream.shuffled_batches`.
        """
        numbers = np.arange(self.count(split))[self._resolved(split, rows)]
        return shuffled_batches(self, split, batch, seed, memory_limit_bytes, numbers)

    def array(self, split: str, name: str) -> CheckedArray:
        """Return one array of a split, as stored."""
        return CheckedArray(self._group[f"{split}/{name}"], self.name)

    def _all(self, split: str, name: str) -> np.ndarray:
        if (split, name) not in self._small:
            self._small[split, name] = self.array(split, name).read(slice(None))
        return self._small[split, name]

    def _has(self, split: str, name: str) -> bool:
        self.count(split)
        return f"{split}/{name}" in self.arrays

    def _column(self, split: str, name: str) -> np.ndarray | Ragged:
        self.count(split)
        values = self._all(split, name).copy()
        offsets = OFFSETS.get(name)
        if offsets and self._has(split, offsets):
            return Ragged(values, self._all(split, offsets).copy())
        return values

    def _resolved(self, split: str, rows: Rows) -> slice | np.ndarray:
        if rows is None:
            return slice(0, self.count(split))
        if isinstance(rows, slice):
            start, stop, step = rows.indices(self.count(split))
            return slice(start, max(start, stop)) if step == 1 else np.arange(start, stop, step)
        rows = np.asarray(rows)
        if rows.dtype == bool:
            if rows.shape != (self.count(split),):
                raise IndexError(f"mask of shape {rows.shape} over {self.count(split)} rows")
            return np.flatnonzero(rows)
        return rows.astype(np.int64, copy=False)

    def _rows_of(
        self, split: str, name: str, rows: slice | np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Return (values, None), or (flat values, offsets) of a ragged column."""
        array = self.array(split, name)
        if not self._has(split, OFFSETS[name]):
            return array.read(rows), None
        offsets = self._all(split, OFFSETS[name])
        if isinstance(rows, slice):
            bounds = offsets[rows.start : rows.stop + 1]
            return array.read(slice(int(bounds[0]), int(bounds[-1]))), bounds - bounds[0]
        starts, lengths = offsets[:-1][rows], np.diff(offsets)[rows]
        cut = Ragged.from_lengths(np.empty(0), lengths).offsets
        flat = np.repeat(starts - cut[:-1], lengths) + np.arange(cut[-1])
        return array.read(flat), cut
