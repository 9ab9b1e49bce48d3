"""Reading a finished store, opened by its manifest: the whole of a split, or a subset."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import zarr

from fbftl.features.store.format import OFFSETS, VERSION, Ragged, from_storage, sha256_of
from fbftl.features.store.manifest import AGAIN, open_group, place_of, read_manifest
from fbftl.features.store.provenance import Provenance, provenance_of
from fbftl.ground.errors import UserError
from fbftl.ground.room import RAM, Room


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


Rows = slice | np.ndarray | None
"""All rows (None), a contiguous slice, or row numbers."""


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

    def labels(self, split: str) -> np.ndarray | Ragged:
        """Return all labels of a split; its features are not touched."""
        return self._column(split, "labels")

    def clients(self, split: str) -> np.ndarray:
        """Return (n,) int32 the client of each row; features are not touched."""
        return self._column(split, "client")

    def samples(self, split: str) -> np.ndarray:
        """Return (n,) int64 the data set's sample number of each row; features are not touched."""
        return self._column(split, "sample")

    def domains(self, split: str) -> np.ndarray | None:
        """Return (n,) int32 the domain of each row, None if there is one only."""
        return self._column(split, "domain") if self._has(split, "domain") else None

    def read(self, split: str, rows: Rows = None, room: Room = RAM) -> Features:
        """Return rows of a split, reading only the chunks that they touch.

        Args:
            split: which split.
            rows: which rows.
            room: where their features go.

        Raises:
            UserError: naming store, array and chunk if a chunk is missing or damaged.
        """
        if rows is None or isinstance(rows, slice):
            rows = slice(*(rows or slice(None)).indices(self.count(split))[:2])
        values, offsets = self._features_of(split, rows, room)
        labels, label_offsets = self._rows_of(split, "labels", rows)
        tokens, token_offsets = None, None
        if self._has(split, "tokens"):
            tokens, token_offsets = self._rows_of(split, "tokens", rows)
        return Features(
            values=values,
            labels=labels,
            client=self._all(split, "client")[rows],
            sample=self._all(split, "sample")[rows],
            domain=self._all(split, "domain")[rows] if self._has(split, "domain") else None,
            offsets=offsets,
            label_offsets=label_offsets,
            tokens=tokens,
            token_offsets=token_offsets,
        )

    def array(self, split: str, name: str) -> zarr.Array:
        """Return one array of a split, as stored."""
        return self._group[f"{split}/{name}"]

    def _all(self, split: str, name: str) -> np.ndarray:
        if (split, name) not in self._small:
            self._small[split, name] = self.array(split, name)[:]
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

    def _features_of(
        self, split: str, rows: slice | np.ndarray, room: Room
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Return features (n, width) and None, or flat ones and their offsets if ragged."""
        units, offsets = self._units(split, "features", rows)
        array = self.array(split, "features")

        def read(part: slice) -> np.ndarray:
            if isinstance(units, slice):
                some = slice(units.start + part.start, units.start + part.stop)
            else:
                some = units[part]
            return from_storage(array.oindex[some], self.provenance.dtype)

        count = units.stop - units.start if isinstance(units, slice) else len(units)
        return room.rows((count, self.width), read), offsets

    def _rows_of(
        self, split: str, name: str, rows: slice | np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Return (values, None), or (flat values, offsets) of a ragged column."""
        units, offsets = self._units(split, name, rows)
        return self.array(split, name).oindex[units], offsets

    def _units(
        self, split: str, name: str, rows: slice | np.ndarray
    ) -> tuple[slice | np.ndarray, np.ndarray | None]:
        """Return where rows lie in a column's array, with their offsets if it is ragged."""
        if not self._has(split, OFFSETS[name]):
            return rows, None
        offsets = self._all(split, OFFSETS[name])
        if isinstance(rows, slice):
            bounds = offsets[rows.start : rows.stop + 1]
            return slice(int(bounds[0]), int(bounds[-1])), bounds - bounds[0]
        starts, lengths = offsets[:-1][rows], np.diff(offsets)[rows]
        cut = Ragged.from_lengths(np.empty(0), lengths).offsets
        return np.repeat(starts - cut[:-1], lengths) + np.arange(cut[-1]), cut


def open_store(manifest: str | Path) -> FeatureStore:
    """Open a finished feature store for reading; every file that is read has its own digest.

    Args:
        manifest: path of the store's manifest, which knows where the store is.

    Raises:
        UserError: if there is no finished store, or its metadata is not what the manifest says.
    """
    known = read_manifest(Path(manifest))
    if known.store["version"] != VERSION:
        raise UserError(
            f"Feature store {manifest} has format {known.store['version']}, this code reads "
            f"{VERSION}: extract the features again."
        )
    where = place_of(Path(manifest), known)
    for key in known.metadata:
        try:
            intact = sha256_of(where.read(key)) == known.files[key]
        except FileNotFoundError:
            if key == "zarr.json":
                raise UserError(
                    f"There is no finished feature store at {where.name}: extract the features "
                    f"first, or remove {manifest} to open published ones anew."
                ) from None
            intact = False
        if not intact:
            array = key.removesuffix("zarr.json").rstrip("/") or "the store"
            raise UserError(
                f"The metadata of {array} in feature store {where.name} is not what its manifest "
                f"says: {AGAIN}."
            )
    return FeatureStore(open_group(where, known.files), known.store, where.name)
