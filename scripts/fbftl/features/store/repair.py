"""Mending a store: only the files that differ from the manifest are made again.

What is made again must have the digest that the manifest gives, so a repaired store is the store
that was finished, byte for byte, or the repair is refused.
"""

import hashlib
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

import numpy as np

from fbftl.features.store.dtypes import to_storage
from fbftl.features.store.format import (
    OFFSETS,
    ArrayLayout,
    encode_chunk,
    metadata_files,
    sha256_of,
)
from fbftl.features.store.location import Location, location
from fbftl.features.store.lock import exclusive
from fbftl.features.store.manifest import Manifest, digests_of_files, read_manifest
from fbftl.features.store.opening import open_store
from fbftl.features.store.ragged import Column, Ragged, concatenate
from fbftl.features.store.reader import FeatureStore
from fbftl.features.store.target import manifest_path, place_beside, work_path
from fbftl.features.store.verify import Damage, damaged_files
from fbftl.ground.errors import UserError
from fbftl.ground.files import writing

COLUMN_OF_OFFSETS = {offsets: column for column, offsets in OFFSETS.items()}


class RowsAgain(Protocol):
    """Makes columns of a split again (`fbftl.features.extract.rows_again`)."""

    def __call__(
        self, split: str, first: int, last: int, *, features: bool
    ) -> Iterator[Mapping[str, Column]]:
        """Yield labels, client, sample (and features) of rows first to last - 1, in runs."""


def repair(store: str | Path, again: RowsAgain, manifest: str | Path | None = None) -> list[Damage]:
    """Make the damaged and missing files of a store again; delete unexpected ones.

    A manifest that is missing or damaged is written anew from the store, if every value in the
    store still has the digest that its metadata gives.

    Args:
        store: folder or URL.
        again: makes rows again, with the model, data and batch size of the extraction.
        manifest: by default ``features.json`` beside ``features.zarr``.

    Returns:
        The damage that was mended.

    Raises:
        UserError: if another process writes the store; if what is made again differs from what was
            there; if store and manifest are both damaged; if the disk is full.
    """
    path, work = manifest_path(store, manifest), work_path(store, manifest)
    with writing(work), exclusive(work):
        try:
            return _repair(store, again, path)
        finally:
            if {entry.name for entry in work.iterdir()} == {"lock"}:
                shutil.rmtree(work)


def _repair(store: str | Path, again: RowsAgain, path: Path) -> list[Damage]:
    where = location(store)
    try:
        vouched = read_manifest(path)
    except UserError:
        _rebuild_manifest(store, path)
        return [Damage(where.name, str(path), "damaged")]
    damage = damaged_files(where, vouched)
    metadata = metadata_files(vouched.store)  # the root's file comes last
    damaged = {item.key for item in damage if item.reason != "unexpected"}
    for key in metadata:
        if key in damaged:
            _put(where, vouched, key, metadata[key])
    chunks = [item for item in damage if item.key in damaged and item.chunk is not None]
    # Offsets first: they say which rows a chunk of a ragged column holds.
    chunks.sort(key=lambda item: item.array.split("/")[1] not in COLUMN_OF_OFFSETS)
    for item in chunks:
        content = _chunk_again(open_store(store), vouched, item, again)
        _put(where, vouched, item.key, content)
    for item in damage:
        if item.reason == "unexpected":
            where.delete(item.key)
    return damage


def _put(where: Location, vouched: Manifest, key: str, content: bytes) -> None:
    if sha256_of(content) != vouched.files[key]:
        raise UserError(
            f"File {key} of feature store {where.name} comes out differently when it is made again "
            "(another library version, batch size or thread count?): extract the features again."
        )
    where.write(key, content)


def _chunk_again(store: FeatureStore, vouched: Manifest, damage: Damage, again: RowsAgain) -> bytes:
    """Make one chunk of one array again, encoded."""
    split, name = damage.array.split("/")
    layout = ArrayLayout.from_document(vouched.store["arrays"][damage.array])
    first = damage.chunk * layout.chunks[0]
    last = min(first + layout.chunks[0], layout.shape[0])
    if name in COLUMN_OF_OFFSETS:
        values = _offsets_again(store, split, COLUMN_OF_OFFSETS[name], again)[first:last]
    else:
        values = _values_again(store, split, name, first, last, again)
    if name == "features":
        values = to_storage(values, store.provenance.dtype)
    return encode_chunk(values, layout)


def _offsets_again(store: FeatureStore, split: str, column: str, again: RowsAgain) -> np.ndarray:
    runs = again(split, 0, store.count(split), features=column == "features")
    lengths = np.concatenate([run[column].lengths for run in runs])
    return Ragged.from_lengths(np.empty(0), lengths).offsets


def _values_again(
    store: FeatureStore, split: str, name: str, first: int, last: int, again: RowsAgain
) -> np.ndarray:
    """Return entries first to last - 1 of a column's array: rows, or flat values if ragged."""
    array = f"{split}/{OFFSETS.get(name)}"
    start_of_row = np.arange(store.count(split) + 1)
    if array in store.arrays:
        start_of_row = store.array(split, OFFSETS[name]).read(slice(None))
    first_row = int(np.searchsorted(start_of_row, first, side="right")) - 1
    last_row = int(np.searchsorted(start_of_row, last, side="left"))
    runs = again(split, first_row, last_row, features=name == "features")
    column = concatenate([run[name] for run in runs])
    flat = column.values if isinstance(column, Ragged) else column
    offset = first - int(start_of_row[first_row])
    return flat[offset : offset + last - first]


def _rebuild_manifest(store: str | Path, path: Path) -> None:
    """Write a manifest anew for a store whose values all match its metadata."""
    opened = open_store(store)
    for name, entry in opened.arrays.items():
        split, array = name.split("/")
        digest = hashlib.sha256()
        for rows in opened.array(split, array).chunks():
            digest.update(np.ascontiguousarray(rows))
        if digest.hexdigest() != entry["sha256"]:
            raise UserError(
                f"Manifest {path} is lost and array {name} of feature store {store} is damaged: "
                "extract the features again."
            )
    where = location(store)
    Manifest(place_beside(path, store), opened.document, digests_of_files(where)).write(path)
