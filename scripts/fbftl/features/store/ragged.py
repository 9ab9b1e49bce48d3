"""Ragged columns: rows of different length, kept as flat values and offsets."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fbftl.ground.errors import UserError


@dataclass(frozen=True)
class Ragged:
    """Rows of different length, laid end to end.

    values: (total, ...) all rows' values, one row after the other.
    offsets: (n + 1,) int64; row i is ``values[offsets[i]:offsets[i + 1]]``.
    """

    values: np.ndarray
    offsets: np.ndarray

    @classmethod
    def from_rows(cls, rows: Sequence[np.ndarray]) -> "Ragged":
        """Lay arrays of shape (length_i, ...) end to end; at least one row."""
        return cls.from_lengths(np.concatenate(rows), [len(row) for row in rows])

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
    return Ragged.from_rows([np.asarray(row) for row in rows])


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
