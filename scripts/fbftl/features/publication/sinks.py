"""Where features are published to: a folder, a zip or a URL; in the end all or nothing."""

import os
import shutil
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from fbftl.features.store.location import Remote
from fbftl.ground.errors import UserError
from fbftl.ground.files import replacing, writing
from fbftl.ground.places import is_url, is_zip
from fbftl.study.elsewhere import MANIFEST


class FileSink(ABC):
    """Takes files by key, from several threads at once."""

    @abstractmethod
    def write(self, key: str, content: bytes) -> None:
        """Write a file that is not there yet."""


class _FolderSink(FileSink):
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: set[Path] = set()

    def write(self, key: str, content: bytes) -> None:
        path = self._folder / key
        with writing(path):
            if path.parent not in self._made:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._made.add(path.parent)
            path.write_bytes(content)


class _ZipSink(FileSink):
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._lock = Lock()

    def write(self, key: str, content: bytes) -> None:
        # Chunks are compressed already; a fixed date gives equal bytes.
        with self._lock:
            self._archive.writestr(zipfile.ZipInfo(key), content)


class _RemoteSink(FileSink):
    def __init__(self, remote: Remote) -> None:
        self._remote = remote
        self.written: list[str] = []

    def write(self, key: str, content: bytes) -> None:
        self.written.append(key)
        self._remote.write(key, content)


def require_free(target: str) -> None:
    """Refuse a target at which something is.

    Raises:
        UserError: naming the target.
    """
    if not target:
        raise UserError("the target is empty; name a new folder or zip, or a URL")
    if is_url(target):
        if is_zip(target):
            raise UserError(
                f"{target} would be a zip at a URL; name a folder there, or a local zip"
            )
        if not _reached(target):
            return
        raise UserError(f"{target} is not empty; name a place where nothing is")
    if os.path.lexists(target):
        raise UserError(f"{target} exists; name a new folder or zip, or remove it")


@contextmanager
def sink_of(target: str) -> Iterator[FileSink]:
    """Yield what takes the files of a publication; if the block fails, nothing is left.

    Args:
        target: new folder, new zip, or URL at which nothing is.

    Raises:
        UserError: if something is there, or it cannot be written.
    """
    require_free(target)
    if is_url(target):
        yield from _into_url(target)
        return
    try:
        if is_zip(target):
            with replacing(target) as temporary, zipfile.ZipFile(temporary, "w") as archive:
                yield _ZipSink(archive)
        else:
            yield from _into_folder(Path(target))
    except OSError as error:
        raise UserError(
            f"{target} cannot be written: {error.strerror or error}; name another place"
        ) from error


def _into_folder(folder: Path) -> Iterator[FileSink]:
    unfinished = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    with writing(folder):
        try:
            unfinished.mkdir(parents=True)
            yield _FolderSink(unfinished)
            os.rename(unfinished, folder)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)


def _into_url(url: str) -> Iterator[FileSink]:
    from obstore.exceptions import BaseError

    sink = _RemoteSink(Remote(url))
    try:
        yield sink
    except BaseException as error:
        for key in [MANIFEST, *sink.written]:
            _forget(url, key)
        if isinstance(error, (BaseError, OSError)) and not isinstance(error, UserError):
            reason = str(error).splitlines()[0].rstrip(".")
            raise UserError(f"{url} cannot be written: {reason}; nothing was left there") from error
        raise


def _forget(url: str, key: str) -> None:
    """Delete what was uploaded in vain, as far as whoever failed to write may delete."""
    from obstore.exceptions import BaseError

    try:
        Remote(url).delete(key)
    except (BaseError, OSError):
        return


def _reached(url: str) -> set[str]:
    """Return what lies under a URL."""
    from obstore.exceptions import BaseError

    try:
        return Remote(url).keys()
    except (BaseError, OSError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise UserError(
            f"{url} cannot be reached: {reason}; check address and credentials"
        ) from error
