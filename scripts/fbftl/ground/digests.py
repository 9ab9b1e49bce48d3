"""What tells that a file of the user's has changed: its content, whatever its size and its time.

Reading terabytes at every plan would be no plan. So a large file is read once, and its digest kept
with its size and its times; it is read again when one of these is another. A folder is told by the
name, size and time of every file below it, since a million images are too many to read.
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

ALWAYS_READ = 2**20
"""Bytes up to which a file is read every time, which takes no longer than to look it up."""

Stamp = list[int]
"""Size in bytes, time of change and time of the last change of name or rights, in ns.

The third cannot be set by hand: a file that replaces another and takes over its date is noticed.
"""


class Digests:
    """SHA-256 of files and folders; call it with a path.

    Args:
        kept: file that remembers the digests of large files between two calls. It is a cache: it
            may be removed, and where it cannot be written, files are read again.
    """

    def __init__(self, kept: str | Path) -> None:
        self._path = Path(kept)
        self._kept: dict[str, tuple[Stamp, str]] = _read(self._path)
        self._folders: dict[str, str] = {}  # listed once in a process

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
        stamp = [status.st_size, status.st_mtime_ns, status.st_ctime_ns]
        if path not in self._kept or self._kept[path][0] != stamp:
            self._keep(path, stamp)
        return self._kept[path][1]

    def _keep(self, path: str, stamp: Stamp) -> None:
        self._kept[path] = (stamp, sha256(path))
        there = {name: entry for name, entry in self._kept.items() if os.path.exists(name)}
        with suppress(OSError, UserError):  # a folder that may only be read can still be planned
            write_json(self._path, there)


def digest_of_value(value: Any) -> str:
    """Return the SHA-256 of a value of builtin types, whatever the order of its keys."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def digests_of_param(value: Any) -> str | list[str]:
    """Return the digest of a job's param, or of each entry where it lists mappings."""
    if isinstance(value, list) and value and all(isinstance(entry, Mapping) for entry in value):
        return [digest_of_value(entry) for entry in value]
    return digest_of_value(value)


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


def _read(path: Path) -> dict[str, tuple[Stamp, str]]:
    try:
        kept = json.loads(path.read_bytes())
        return {name: (list(stamp), str(digest)) for name, (stamp, digest) in kept.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
