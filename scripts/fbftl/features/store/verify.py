"""Proving that a store is what its manifest says, file by file."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from fbftl.features.store.arrays import READS_AT_ONCE
from fbftl.features.store.format import sha256_of
from fbftl.features.store.location import Location, location
from fbftl.features.store.manifest import Manifest, read_manifest
from fbftl.features.store.target import manifest_path


@dataclass(frozen=True)
class Damage:
    """One file of a store that is not what it was when the store was finished.

    store: name of the store.
    key: the file, e.g. ``train/features/c/3/0``.
    reason: missing, damaged or unexpected.
    """

    store: str
    key: str
    reason: str

    @property
    def array(self) -> str:
        """Array or group that the file belongs to, e.g. ``train/features``; empty for the root."""
        return self.key.split("/c/")[0].removesuffix("zarr.json").rstrip("/")

    @property
    def chunk(self) -> int | None:
        """Number of the chunk along the samples; None for a metadata file."""
        return int(self.key.split("/c/")[1].split("/")[0]) if "/c/" in self.key else None

    def __str__(self) -> str:
        what = f"metadata of {self.array or 'the store'}"
        if self.reason == "unexpected":
            what = f"file {self.key}"
        elif self.chunk is not None:
            what = f"chunk {self.chunk} of {self.array}"
        return f"{self.store}: {what} is {self.reason}"


def verify(store: str | Path, manifest: str | Path | None = None) -> list[Damage]:
    """Compare every file of a store with its manifest.

    Args:
        store: folder or URL.
        manifest: by default ``features.json`` beside ``features.zarr``.

    Returns:
        What is damaged, missing or unexpected; empty for a sound store.

    Raises:
        UserError: if the manifest itself is missing or damaged.
    """
    return damaged_files(location(store), read_manifest(manifest_path(store, manifest)))


def damaged_files(store: Location, manifest: Manifest) -> list[Damage]:
    """Return the files that differ from the manifest, in the order of their keys."""

    def reason(key: str) -> str | None:
        try:
            return None if sha256_of(store.read(key)) == manifest.files[key] else "damaged"
        except FileNotFoundError:
            return "missing"

    promised = sorted(manifest.files)
    with ThreadPoolExecutor(READS_AT_ONCE) as pool:
        damage = {
            key: difference
            for key, difference in zip(promised, pool.map(reason, promised), strict=True)
            if difference
        }
    damage |= dict.fromkeys(store.keys() - manifest.files.keys(), "unexpected")
    return [Damage(store.name, key, damage[key]) for key in sorted(damage)]
