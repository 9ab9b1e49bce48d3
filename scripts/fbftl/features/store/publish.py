"""Finishing a store: columns, metadata and manifest, then one move to where it belongs."""

import hashlib
import os
import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from fbftl.features.store.format import (
    VERSION,
    ArrayLayout,
    Column,
    chunk_key,
    column_layout,
    decode_chunk,
    encode_chunk,
    first_dimension,
    metadata_files,
    sealed,
    sha256_of,
)
from fbftl.features.store.manifest import AT_ONCE, Folder, Manifest, Remote, is_url
from fbftl.features.store.provenance import Target
from fbftl.features.store.writer import SplitWriter, WorkFolder
from fbftl.ground.errors import UserError
from fbftl.ground.files import sync, write_durably


class StoreWriter:
    """The writer of one store, which goes on where an earlier call was; see `writer_of`."""

    def __init__(
        self, target: Target, header: Mapping[str, Any], counts: Mapping[str, int]
    ) -> None:
        self._target = target
        self._work = work = WorkFolder(target.work_path, header, counts)
        self._counts = counts
        self._splits = {
            split: SplitWriter(work, target, split, count) for split, count in counts.items()
        }

    def next_row(self, split: str) -> int:
        """Return the number of the first row of `split` that is still to be appended."""
        return self._splits[split].next_row

    def append(
        self, split: str, start: int, features: Column, columns: Mapping[str, Column]
    ) -> None:
        """Add rows to a split; see `SplitWriter.append`."""
        self._splits[split].append(start, features, columns)

    def publish(self) -> None:
        """Finish the store and move it to its place. Every split must be complete."""
        arrays = {}
        for split, writer in self._splits.items():
            layout = writer.layout()
            arrays[f"{split}/features"] = self._features_entry(split, layout)
            arrays |= self._write_columns(split, writer.columns())
        widths = {entry["shape"][1] for name, entry in arrays.items() if name.endswith("/features")}
        if len(widths) > 1:
            raise UserError(
                f"Features of cut {self._target.provenance.cut} have widths {sorted(widths)} in "
                "different splits: every split must go through the same model."
            )
        provenance = replace(self._target.provenance, width=widths.pop(), counts=dict(self._counts))
        document = sealed({"version": VERSION, **provenance.document(), "arrays": arrays})
        for key, content in metadata_files(document).items():
            write_durably(self._work.store / key, content)
        target, folder = self._target, Folder(self._work.store)
        beside = target.manifest_path.parent
        manifest = Manifest(
            str(target.store) if is_url(target.store) else os.path.relpath(target.store, beside),
            store=document,
            files={key: sha256_of(folder.read(key)) for key in sorted(folder.keys())},
        )
        _place(self._work.store, target)
        manifest.write(target.manifest_path)
        self._work.delete()

    def _features_entry(self, split: str, layout: ArrayLayout) -> dict[str, Any]:
        """Describe the features array; every chunk is read back and checked on the way."""
        digest = hashlib.sha256()
        for chunk in self._work.chunks[split]:
            if chunk.units:
                content = (self._work.store / chunk.key).read_bytes()
                digest.update(decode_chunk(content, layout)[: chunk.units])
        return {**asdict(layout), "sha256": digest.hexdigest()}

    def _write_columns(self, split: str, columns: Mapping[str, np.ndarray]) -> dict[str, Any]:
        """Write labels, ids and offsets; return their entries in the store's document."""
        entries = {}
        for name, values in columns.items():
            array = f"{split}/{name}"
            layout = column_layout(values, first_dimension(name, columns))
            for chunk in range(layout.chunk_count):
                rows = values[chunk * layout.chunks[0] :][: layout.chunks[0]]
                key = chunk_key(array, chunk, layout)
                write_durably(self._work.store / key, encode_chunk(rows, layout))
            entries[array] = {**asdict(layout), "sha256": sha256_of(values.tobytes())}
        return entries


def writer_of(target: Target, counts: Mapping[str, int], batch: int) -> StoreWriter | None:
    """Return what goes on with the extraction of a store; None if the store is finished.

    Args:
        target: where to; nobody else writes there.
        counts: rows of each split, all at least one.
        batch: rows per forward pass. It is part of what must be equal to go on with finished
            chunks, since floating-point sums may depend on the shape of a batch.
    """
    # The manifest is written last: a kill came between this store and another of the pass.
    if target.manifest_path.exists():
        shutil.rmtree(target.work_path, ignore_errors=True)
        return None
    if is_url(target.store):
        Remote(str(target.store)).keys()  # before hours of work, whether it can be reached
    header = {
        "version": VERSION,
        "provenance": target.provenance.document(),
        "counts": dict(counts),
        "batch": batch,
        "chunk_bytes": target.chunk_bytes,
        "code": target.code,
    }
    return StoreWriter(target, header, counts)


def _place(finished: Path, target: Target) -> None:
    """Move a finished store to where the target says; what lies there was never vouched for."""
    if is_url(target.store):
        _upload(Folder(finished), Remote(str(target.store)))
        return
    store = Path(target.store)
    shutil.rmtree(store, ignore_errors=True)
    for folder in (finished, *(path for path in finished.rglob("*") if path.is_dir())):
        sync(folder)
    os.rename(finished, store)
    sync(store.parent)


def _upload(store: Folder, remote: Remote) -> None:
    """Copy a store; without its root metadata, which goes last, it does not open."""
    root = "zarr.json"
    there, keys = remote.keys(), store.keys()
    if root in there:
        remote.objects.delete(root)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda key: remote.objects.put(key, store.read(key)), sorted(keys - {root})))
    for key in sorted(there - keys):
        remote.objects.delete(key)
    remote.objects.put(root, store.read(root))
