"""Rows of a store in memory."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fbftl.features.store.ragged import Column, Ragged


@dataclass(frozen=True)
class Features:
    """Rows of one split.

    values: (n, width) float32; of ragged features (total, width), see `offsets`.
    labels: (n,); of ragged labels (total,), see `label_offsets`.
    client: (n,) int32 number of the client that uploaded the row.
    sample: (n,) int64 number of the sample in the data set.
    domain: (n,) int32 domain that the client sees the sample in; None if there is one only.
    offsets: (n + 1,) int64; row i is ``values[offsets[i]:offsets[i + 1]]``. None if not ragged.
    label_offsets: (n + 1,) int64; as `offsets`, of the labels. None if they are not ragged.
    tokens: (total,) input token ids beside the features, or None.
    token_offsets: the offsets of `tokens`.
    """

    values: np.ndarray
    labels: np.ndarray
    client: np.ndarray
    sample: np.ndarray
    domain: np.ndarray | None = None
    offsets: np.ndarray | None = None
    label_offsets: np.ndarray | None = None
    tokens: np.ndarray | None = None
    token_offsets: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.client)

    def __getitem__(self, rows: slice) -> "Features":
        """Return a contiguous run of rows, as copies."""
        return Features._from_columns(
            {
                name: column[rows] if isinstance(column, Ragged) else column[rows].copy()
                for name, column in self.columns().items()
            }
        )

    def columns(self) -> dict[str, Column]:
        """Return the columns that are there, ragged ones as `Ragged`."""
        columns: dict[str, Column] = {"client": self.client, "sample": self.sample}
        if self.domain is not None:
            columns["domain"] = self.domain
        for name, offsets_name in _OFFSETS.items():
            values, offsets = getattr(self, name), getattr(self, offsets_name)
            if values is not None:
                columns[name] = values if offsets is None else Ragged(values, offsets)
        return columns

    @classmethod
    def _from_columns(cls, columns: Mapping[str, Column]) -> "Features":
        arrays = {}
        for name, column in columns.items():
            if isinstance(column, Ragged):
                arrays[_OFFSETS[name]] = column.offsets
                column = column.values
            arrays[name] = column
        return cls(**arrays)


_OFFSETS = {"values": "offsets", "labels": "label_offsets", "tokens": "token_offsets"}
