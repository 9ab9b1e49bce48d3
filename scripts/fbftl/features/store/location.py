"""Where a finished store lives: a folder, or a URL that obstore understands (s3, gs, az)."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import zarr
from zarr.abc.store import ByteRequest, Store
from zarr.core.buffer import Buffer, BufferPrototype
from zarr.storage import LocalStore, ObjectStore, WrapperStore

from fbftl.features.store.format import sha256_of
from fbftl.ground.durable import write_durably
from fbftl.ground.errors import UserError

if TYPE_CHECKING:
    from obstore.store import ObjectStore as ObjectAccess


AT_ONCE = 8
"""Files that are read or written at a time where nothing else says how many."""

AGAIN = "remove its folder and it is extracted again"
"""What messages offer for a damaged store."""


class Location(ABC):
    """The files of one store by key, e.g. ``train/features/c/3/0``.

    name: the location as the user wrote it.
    """

    name: str

    @abstractmethod
    def zarr_store(self) -> Store:
        """Return a read-only Zarr store over the files."""

    @abstractmethod
    def keys(self) -> set[str]:
        """Return the keys of all files that are there."""

    @abstractmethod
    def read(self, key: str) -> bytes:
        """Return a file's bytes; FileNotFoundError if it is not there."""

    @abstractmethod
    def write(self, key: str, content: bytes) -> None:
        """Write a whole file, atomically."""

    @abstractmethod
    def delete(self, key: str) -> None:
        """Delete a file."""

    def open_group(self, digests: Mapping[str, str]) -> zarr.Group:
        """Open the store, read-only, such that a lost or altered chunk is a UserError.

        Args:
            digests: SHA-256 of every file by key.
        """
        store = _StrictStore(self.zarr_store(), digests, self.name)
        return zarr.open_group(store, mode="r", zarr_format=3, use_consolidated=False)


class Folder(Location):
    """A store in a folder."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.name = str(path)

    def zarr_store(self) -> Store:  # noqa: D102
        return LocalStore(self.path, read_only=True)

    def keys(self) -> set[str]:  # noqa: D102
        files = (path for path in self.path.rglob("*") if path.is_file())
        return {path.relative_to(self.path).as_posix() for path in files}

    def read(self, key: str) -> bytes:  # noqa: D102
        return (self.path / key).read_bytes()

    def write(self, key: str, content: bytes) -> None:  # noqa: D102
        write_durably(self.path / key, content)

    def delete(self, key: str) -> None:  # noqa: D102
        (self.path / key).unlink()


class Remote(Location):
    """A store under a URL; credentials and endpoint come from the environment (AWS_*, ...)."""

    def __init__(self, url: str) -> None:
        self.name = url
        self._objects = _object_access(url)

    def zarr_store(self) -> Store:  # noqa: D102
        return ObjectStore(self._objects, read_only=True)

    def keys(self) -> set[str]:  # noqa: D102
        with _reachable(self.name):
            return {entry["path"] for page in self._objects.list() for entry in page}

    def read(self, key: str) -> bytes:  # noqa: D102
        return self._objects.get(key).bytes().to_bytes()

    def write(self, key: str, content: bytes) -> None:  # noqa: D102
        self._objects.put(key, content)

    def delete(self, key: str) -> None:  # noqa: D102
        self._objects.delete(key)


def location(path_or_url: str | Path) -> Location:
    """Return the location that a path or URL names."""
    if is_url(path_or_url):
        return Remote(str(path_or_url))
    return Folder(path_or_url)


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


def _object_access(url: str) -> "ObjectAccess":
    from obstore.store import from_url

    with _reachable(url):
        return from_url(url)


@contextmanager
def _reachable(url: str) -> Iterator[None]:
    """Turn what speaks against a location into a UserError."""
    from obstore.exceptions import BaseError

    try:
        yield
    except (BaseError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise UserError(f"Store location {url} cannot be used: {reason}.") from error
