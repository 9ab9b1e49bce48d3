"""What tells that a file of the user's has changed: its content, whatever its size and its time.

Reading terabytes at every plan would be no plan. So a large file is read once, and its digest kept
with its size, its times and its inode; it is read again when one of these is another. A folder is
told by the name, size and time of every file below it, since a million images are too many to read.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256, write_json

DIGESTS = "digests.json"
"""In the store: the digests of large files of earlier calls."""

ALWAYS_READ = 2**20
"""Bytes up to which a file is read every time, which takes no longer than to look it up."""


class Digests:
    """SHA-256 of files and folders; call it with a path.

    Args:
        kept: file with the digests of large files of earlier calls; a cache, which may be removed.
    """

    def __init__(self, kept: str | Path) -> None:
        self._path = Path(kept)
        self._kept: dict[str, list[Any]] = {}
        with suppress(OSError, ValueError, TypeError, AttributeError):
            kept_now = json.loads(self._path.read_bytes())
            self._kept = {name: [stamp, str(digest)] for name, (stamp, digest) in kept_now.items()}
        self._folders: dict[str, str] = {}  # listed once in a process
        self._is_new = False

    def __call__(self, path: str | Path) -> str:
        """Return the digest in hex of a file's content, or of a folder's list of files.

        Raises:
            OSError: if there is no such file.
        """
        path = os.path.abspath(path)
        status = os.stat(path)
        if S_ISDIR(status.st_mode):
            if path not in self._folders:
                self._folders[path] = listing_digest(path)
            return self._folders[path]
        if status.st_size <= ALWAYS_READ:
            return sha256(path)
        # The time of the last change of name or rights cannot be set by hand.
        stamp = [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
        if self._kept.get(path, [None])[0] != stamp:
            self._kept[path] = [stamp, sha256(path)]
            self._is_new = True
        return self._kept[path][1]

    def require(self, planned: Mapping[str, str]) -> None:
        """Refuse files that are not what they were when the plan was made.

        Args:
            planned: digests by path.

        Raises:
            UserError: naming the first that differs or is gone.
        """
        for path, digest in planned.items():
            with suppress(OSError):
                if self(path) == digest:
                    continue
            raise UserError(f"{path} has changed since this call planned; call again")

    def keep(self) -> None:
        """Keep what was read since, where it can be written."""
        if self._is_new:
            there = {name: entry for name, entry in self._kept.items() if os.path.exists(name)}
            with suppress(OSError, UserError):
                write_json(self._path, there)


def listing_digest(folder: str | Path) -> str:
    """Return one SHA-256 for name, size and time of every file that `files_below` finds."""
    listed = []
    for name, entry in files_below(folder):
        try:
            status = entry.stat()
        except FileNotFoundError:  # a link to nothing
            status = entry.stat(follow_symlinks=False)
        listed.append(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\n")
    return hashlib.sha256("".join(sorted(listed)).encode("utf-8", "surrogateescape")).hexdigest()


def files_below(folder: str | Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield every file below a folder with its path there, sorted in each folder.

    Hidden files and folders are left out; links are followed, but to a folder that holds the link.
    """
    return _below(os.fspath(folder), "", {os.path.realpath(folder)})


def _below(folder: str, prefix: str, within: set[str]) -> Iterator[tuple[str, os.DirEntry[str]]]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name.startswith("."):
                continue
            if not entry.is_dir():
                yield prefix + entry.name, entry
            elif (real := os.path.realpath(entry.path)) not in within:
                yield from _below(entry.path, f"{prefix}{entry.name}/", within | {real})
