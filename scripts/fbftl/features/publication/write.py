"""Publishing a finished store: its files as they are or under noise, and what vouches for them.

Every file is read once; its digest is compared on the way with what the store's own manifest says.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fbftl.features.publication.sinks import FileSink, sink_of
from fbftl.features.store.dtypes import from_storage, to_storage
from fbftl.features.store.format import (
    ArrayLayout,
    chunk_key,
    column_layout,
    encode_chunk,
    metadata_files,
    sealed,
    sha256_of,
)
from fbftl.features.store.location import Location, location
from fbftl.features.store.manifest import REPAIR, Manifest, read_manifest
from fbftl.features.store.opening import open_store
from fbftl.features.store.reader import FeatureStore
from fbftl.ground.errors import UserError
from fbftl.ground.places import is_url
from fbftl.privacy.noise import clip_rows
from fbftl.privacy.system_noise import system_noise
from fbftl.study.elsewhere import MANIFEST, digest_of

FILES_AT_ONCE = 4
"""Files that are read, compared and written at a time; they are what is in memory."""


@dataclass(frozen=True)
class PublishedNoise:
    """The Gaussian mechanism on every row that is published.

    sigma: standard deviation of the noise over the clip norm.
    clip_norm: L2 norm c to which a row is clipped first.
    """

    sigma: float
    clip_norm: float


Documents = Callable[[Mapping[str, Any]], Mapping[str, bytes]]
"""From the finished manifest to the further files, by name: card and other descriptions."""


def publish(
    manifest: Path,
    target: str,
    about: Mapping[str, Any],
    documents: Documents,
    noise: PublishedNoise | None = None,
    columns: Mapping[str, np.ndarray] | None = None,
) -> dict[str, Any]:
    """Publish a finished store, and return the manifest that vouches for all of it.

    Args:
        manifest: of the store.
        target: new folder, new zip, or URL at which nothing is.
        about: what the manifest is to say of the features.
        documents: makes the further files.
        noise: put on every row; None publishes the store's bytes as they are.
        columns: further arrays, one value per row, by their name, as in ``train/group``.

    Raises:
        UserError: if the store is damaged or unfinished, or the target exists or cannot be written.
    """
    known = read_manifest(manifest)
    store = open_store(manifest)
    source = location(
        known.location if is_url(known.location) else manifest.parent / known.location
    )
    if noise is not None and any(name.endswith("/offsets") for name in store.arrays):
        raise UserError(
            f"{store.name} has rows of unequal length, of which noise on each vector would protect "
            "no row; publish it without noise"
        )
    with sink_of(target) as sink:
        if noise is None and not columns:
            _copy(source, known.files, sink)
            document, files = dict(known.store), dict(known.files)
        else:
            document, files = _derived(store, source, known, sink, noise, columns or {})
        published = {"location": ".", "store": document, "files": files, "about": dict(about)}
        published["digest"] = digest_of(published)
        for name, content in documents(published).items():
            sink.write(name, content)
        # Last, since nothing opens without it.
        sink.write(MANIFEST, json_bytes(published))
    return published


def json_bytes(document: Mapping[str, Any]) -> bytes:
    """Return a document as JSON, equal documents as equal bytes."""
    text = json.dumps(document, indent=1, sort_keys=True, allow_nan=False, ensure_ascii=False)
    return (text + "\n").encode()


def _copy(source: Location, files: Mapping[str, str], sink: FileSink) -> None:
    """Copy files, each compared with its digest."""

    def copy(key: str) -> None:
        try:
            content = source.read(key)
        except FileNotFoundError:
            raise UserError(f"{source.name}: {key} is missing; {REPAIR} mends that.") from None
        if sha256_of(content) != files[key]:
            raise UserError(f"{source.name}: {key} is damaged; {REPAIR} mends that.")
        sink.write(key, content)

    with ThreadPoolExecutor(FILES_AT_ONCE) as pool:
        for _ in pool.map(copy, sorted(files)):
            pass


def _derived(
    store: FeatureStore,
    source: Location,
    known: Manifest,
    sink: FileSink,
    noise: PublishedNoise | None,
    columns: Mapping[str, np.ndarray],
) -> tuple[dict[str, Any], dict[str, str]]:
    """Write a store that differs from its source, and return its document and files' digests."""
    arrays, files = dict(known.store["arrays"]), {}
    noised = {name for name in arrays if noise is not None and name.endswith("/features")}
    same = {
        key: digest
        for key, digest in known.files.items()
        if "/c/" in key and key.partition("/c/")[0] not in noised
    }
    _copy(source, same, sink)
    files |= same
    for name in sorted(noised):
        layout = ArrayLayout.from_document(arrays[name])
        parts = noised_chunks(store, name.partition("/")[0], noise)
        arrays[name] = _written(name, layout, parts, sink, files)
    for name, values in columns.items():
        layout = column_layout(values, "row")
        parts = (
            values[first : first + layout.chunks[0]]
            for first in range(0, len(values), layout.chunks[0])
        )
        arrays[name] = _written(name, layout, parts, sink, files)
    content = {key: value for key, value in known.store.items() if key != "digest"}
    document = sealed({**content, "arrays": dict(sorted(arrays.items()))})
    for key, described in metadata_files(document).items():
        sink.write(key, described)
        files[key] = sha256_of(described)
    return document, dict(sorted(files.items()))


def noised_chunks(
    store: FeatureStore, split: str, noise: PublishedNoise | None
) -> Iterator[np.ndarray]:
    """Yield the chunks of a split's features as they are published: rows clipped, then noise."""
    if noise is None:
        return
    for chunk in store.array(split, "features").chunks():
        rows = clip_rows(from_storage(chunk, store.provenance.dtype), noise.clip_norm)
        rows += np.float32(noise.sigma * noise.clip_norm) * system_noise(rows.shape)
        yield to_storage(rows, store.provenance.dtype)


def _written(
    name: str,
    layout: ArrayLayout,
    parts: Iterator[np.ndarray],
    sink: FileSink,
    files: dict[str, str],
) -> dict[str, Any]:
    """Write an array chunk by chunk, note its files, and return its entry in the document."""
    digest = hashlib.sha256()
    for number, rows in enumerate(parts):
        content = encode_chunk(rows, layout)
        key = chunk_key(name, number, layout)
        sink.write(key, content)
        files[key] = sha256_of(content)
        digest.update(np.ascontiguousarray(rows))
    return {**layout.document(), "sha256": digest.hexdigest()}
