"""Writing one split: rows go in, whole chunks come out, and a restart goes on where it was."""

from collections.abc import Mapping

import numpy as np

from fbftl.features.store.format import (
    OFFSETS,
    ArrayLayout,
    chunk_key,
    encode_chunk,
    first_dimension,
    rows_per_chunk,
    storage_dtype,
    to_storage,
)
from fbftl.features.store.provenance import Target
from fbftl.features.store.ragged import Column, FeatureKind, Ragged, concatenate
from fbftl.features.store.work import WorkFolder
from fbftl.ground.errors import UserError

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
