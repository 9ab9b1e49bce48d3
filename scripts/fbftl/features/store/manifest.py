"""Where a finished store lives, and the small local file that vouches for every byte of it.

The manifest holds the store's document (provenance, counts, and per array shape, dtype and the
SHA-256 of the decoded values), the SHA-256 of every file, and a digest of itself. `damage` compares
file by file.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zarr
from zarr.abc.store import ByteRequest, Store
from zarr.core.buffer import Buffer, BufferPrototype
from zarr.storage import LocalStore, ObjectStore, WrapperStore

from fbftl.features.store.format import is_sealed, sealed, sha256_of
from fbftl.ground.errors import UserError
from fbftl.ground.files import write_json

AT_ONCE = 8
"""Files that are read or written at a time where nothing else says how many."""

AGAIN = "remove its folder and it is extracted again"
"""What messages offer for a damaged store."""


class Folder:
    """The files of a store in a folder by key, e.g. ``train/features/c/3/0``.

    name: the location as the user wrote it.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.name = str(path)

    def zarr_store(self) -> Store:
        """Return a read-only Zarr store over the files."""
        return LocalStore(self.path, read_only=True)

    def keys(self) -> set[str]:
        """Return the keys of all files that are there."""
        files = (path for path in self.path.rglob("*") if path.is_file())
        return {path.relative_to(self.path).as_posix() for path in files}

    def read(self, key: str) -> bytes:
        """Return a file's bytes; FileNotFoundError if it is not there."""
        return (self.path / key).read_bytes()


class Remote:
    """The files of a store under a URL, as those of a `Folder`.

    Credentials and endpoint come from the environment (AWS_*, ...).
    """

    def __init__(self, url: str) -> None:
        from obstore.store import from_url

        self.name = url
        with _reachable(url):
            self.objects = from_url(url)

    def zarr_store(self) -> Store:  # noqa: D102
        return ObjectStore(self.objects, read_only=True)

    def keys(self) -> set[str]:  # noqa: D102
        with _reachable(self.name):
            return {entry["path"] for page in self.objects.list() for entry in page}

    def read(self, key: str) -> bytes:  # noqa: D102
        return self.objects.get(key).bytes().to_bytes()


Location = Folder | Remote


def open_group(where: Location, digests: Mapping[str, str]) -> zarr.Group:
    """Open a store, read-only, such that a lost or altered chunk is a UserError.

    Args:
        where: it lives.
        digests: SHA-256 of every file by key.
    """
    store = _StrictStore(where.zarr_store(), digests, where.name)
    return zarr.open_group(store, mode="r", zarr_format=3, use_consolidated=False)


def location(path_or_url: str | Path) -> Location:
    """Return the location that a path or URL names."""
    return Remote(str(path_or_url)) if is_url(path_or_url) else Folder(path_or_url)


def is_url(path_or_url: str | Path) -> bool:
    """Return whether this names a remote store."""
    return "://" in str(path_or_url)


METADATA = ("zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata")
"""Files of a Zarr store that hold no chunk, of any version; `opening` compares them."""


class _StrictStore(WrapperStore[Store]):
    """A store in which a lost or altered chunk is an error; Zarr reads lost ones as fill values.

    Args:
        store: the store as it is.
        digests: SHA-256 of every file by key.
        name: of the store in messages.
    """

    def __init__(self, store: Store, digests: Mapping[str, str], name: str) -> None:
        super().__init__(store)
        self._digests, self._name = digests, name

    async def get(
        self, key: str, prototype: BufferPrototype, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        content = await self._store.get(key, prototype, byte_range)
        if key.rpartition("/")[2] in METADATA:
            return content
        fault = "is missing"
        if content is not None:
            # In a thread: chunks that are read at once are compared at once.
            digest = await asyncio.to_thread(sha256_of, content.as_array_like())
            if digest == self._digests.get(key):
                return content
            fault = f"is damaged (its sha256 is {digest}, not the manifest's)"
        array, _, chunk = key.partition("/c/")
        raise UserError(
            f"Chunk {chunk.partition('/')[0]} of {array} in feature store {self._name} {fault}: "
            f"{AGAIN}."
        )


@contextmanager
def _reachable(url: str) -> Iterator[None]:
    """Turn what speaks against a location into a UserError."""
    from obstore.exceptions import BaseError

    try:
        yield
    except (BaseError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise UserError(f"Store location {url} cannot be used: {reason}.") from error


@dataclass(frozen=True)
class Manifest:
    """What a finished store must be.

    location: a URL, or the store folder's path from the manifest's folder.
    store: the store's document, as in the attributes of its root group.
    files: SHA-256 of every file of the store, by key.
    """

    location: str
    store: Mapping[str, Any]
    files: Mapping[str, str]

    @property
    def metadata(self) -> list[str]:
        """Keys of the files that hold no chunk, the store's own before those of its arrays."""
        return sorted((key for key in self.files if "/c/" not in key), key=len)

    def write(self, path: Path) -> None:
        """Write the manifest, atomically."""
        write_json(path, sealed(vars(self)))


def read_manifest(path: Path) -> Manifest:
    """Read a manifest.

    Raises:
        UserError: if it is missing, is no manifest, or is damaged.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if is_sealed(document):
            return Manifest(document["location"], document["store"], document["files"])
    except FileNotFoundError:
        raise UserError(f"Manifest {path} is missing: {AGAIN}.") from None
    except (ValueError, AttributeError, KeyError):
        pass
    raise UserError(f"Manifest {path} is damaged: {AGAIN}.")


def place_of(path: Path, manifest: Manifest) -> Location:
    """Return where the store is that a manifest vouches for, by the path of the manifest."""
    store = manifest.location
    # Manifests are linked to where people look for them.
    return location(store if is_url(store) else path.resolve().parent / store)


def damage(manifest: str | Path) -> Iterator[tuple[str, str]]:
    """Yield every file that is not what it was when the store was finished, and how it differs.

    A file is named by its key, e.g. `train/features/c/3/0`; it is missing, damaged or unexpected.

    Args:
        manifest: path of the store's manifest.

    Raises:
        UserError: if the manifest itself is missing or damaged.
    """
    known = read_manifest(Path(manifest))
    store = place_of(Path(manifest), known)

    def fault(key: str) -> str | None:
        try:
            return None if sha256_of(store.read(key)) == known.files[key] else "damaged"
        except FileNotFoundError:
            return "missing"

    promised = sorted(known.files)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = zip(promised, pool.map(fault, promised), strict=True)
        yield from ((key, how) for key, how in found if how is not None)
    for key in sorted(store.keys() - known.files.keys()):
        yield key, "unexpected"
