"""The store: artefacts named by the digest of their recipe, so that a file that exists is valid.

A recipe is all that decides an artefact and is known when the plan is made. Its canonical JSON has
sorted keys; the key is the first 24 hexadecimal digits of its SHA-256. An artefact of one file is
written under a temporary name, synced and made read-only before it gets its name, which a second
writer leaves alone: both have made the same. An artefact of several files is a folder, made as
`{key}.part` under a lock, so that a killed extraction is resumed, and renamed when it is whole.
The lock is advisory, and the system releases it when its holder dies.
"""

import errno
import fcntl
import json
import os
import shutil
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256 as sha256_of
from pathlib import Path
from typing import Any, TextIO

from fbftl.ground.errors import UserError
from fbftl.ground.files import (
    UNREADABLE,
    parsed,
    remove_leftovers,
    replacing,
    sha256,
    sync,
    write_json,
    writing,
)

LOCK = "lock"
"""The file in the locked folder."""

_POLL_S = 0.2


@contextmanager
def exclusive(folder: Path, *, wait_s: float = 0.0) -> Iterator[None]:
    """Hold the only right to write in `folder`.

    Args:
        folder: made if it is not there; whoever holds the right may delete it.
        wait_s: seconds to wait for another holder before giving up.

    Raises:
        UserError: naming the process and the machine that hold the right; if the disk is full.
    """
    path = folder / LOCK
    deadline = time.monotonic() + wait_s
    while (file := _try_lock(path)) is None:
        if time.monotonic() >= deadline:
            raise UserError(
                f"{folder} is being written by {_holder(path)}: wait until it has finished, "
                "or stop it and run again."
            )
        time.sleep(_POLL_S)
    with file:
        with writing(path):
            file.truncate(0)
            file.write(f"process {os.getpid()} on {socket.gethostname()}")
            file.flush()
        yield


def _try_lock(path: Path) -> TextIO | None:
    """Return the locked, open file, or None if another process holds it."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = open(path, "a+", encoding="utf-8")  # noqa: SIM115 - the lock lives as long as it
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The last holder may have deleted the folder between our open and our lock.
        if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
            return file
    except (BlockingIOError, FileNotFoundError):
        pass
    file.close()
    return None


def _holder(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8") or "another process"
    except FileNotFoundError:
        return "another process"


Recipe = Mapping[str, Any]
"""Builtin types; floats as Python writes them."""

DIGITS = 24
"""Of a key, hexadecimal."""

NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EXDEV, errno.EMLINK)
"""What file systems without hard links say."""


def canonical(recipe: Any) -> str:
    """Return a recipe, or a part of one, as JSON in the one spelling.

    Raises:
        ValueError: if a number is none.
        TypeError: if it holds other than builtin types.
    """
    return json.dumps(recipe, sort_keys=True, separators=(",", ":"), allow_nan=False)


def key_of(text: str) -> str:
    """Return the key of a recipe, given in its one spelling."""
    return sha256_of(text.encode()).hexdigest()[:DIGITS]


RECIPE = "recipe.json"
"""In the folder of an artefact: its recipe, and the SHA-256 of its files by name."""


@dataclass(frozen=True, eq=False)
class Artefact:
    """An artefact of several files: a folder of the store.

    kind: its folder's folder.
    """

    kind: str
    recipe: Recipe

    @cached_property
    def key(self) -> str:
        """The digest of its recipe."""
        return key_of(canonical(self.recipe))


@dataclass(frozen=True)
class Store:
    """A folder of artefacts, a folder of their kind each; studies and people may share it."""

    root: Path

    def path(self, kind: str, key: str, suffix: str) -> Path:
        """Return where an artefact's file is or would be."""
        return self.root / kind / f"{key}{suffix}"

    def keys(self, kind: str, suffix: str) -> set[str]:
        """Return the keys of all artefacts of a kind, in one look at its folder."""
        with suppress(FileNotFoundError), os.scandir(self.root / kind) as entries:
            names = (entry.name for entry in entries)
            return {name.removesuffix(suffix) for name in names if name.endswith(suffix)}
        return set()

    @contextmanager
    def putting(self, kind: str, key: str, suffix: str) -> Iterator[Path]:
        """Yield a temporary path; what the block wrote there gets the artefact's name.

        Raises:
            UserError: if it cannot be written, as on a full disk; nothing is then under the name.
        """
        path = self.path(kind, key, suffix)
        temporary = path.with_name(f".{key}.{socket.gethostname()}.{os.getpid()}{suffix}")
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                yield temporary
                sync(temporary)
                os.chmod(temporary, 0o444)
                _named(temporary, path)
                sync(path.parent)
            finally:
                temporary.unlink(missing_ok=True)

    def put_json(self, kind: str, key: str, document: Mapping[str, Any]) -> None:
        """Write a document; the order of its keys stays, which names and columns follow."""
        with self.putting(kind, key, ".json") as temporary:
            text = json.dumps(document, allow_nan=False, ensure_ascii=False)
            temporary.write_text(f"{text}\n", encoding="utf-8")

    def put_note(self, kind: str, key: str, document: Mapping[str, Any]) -> None:
        """Write a document that names no artefact, in the place of what is there."""
        with replacing(self.path(kind, key, ".json")) as temporary:
            temporary.write_text(json.dumps(document, allow_nan=False), encoding="utf-8")

    def json(self, kind: str, key: str, recipe: Recipe | None = None) -> dict[str, Any]:
        """Return a document of the store.

        Args:
            kind, key: of the artefact.
            recipe: that it must hold under `recipe`; None for a document without one.

        Raises:
            UserError: if it cannot be read, or is of another recipe.
        """
        path = self.path(kind, key, ".json")
        document = _read(path)
        if recipe is not None and canonical(document.get("recipe")) != canonical(recipe):
            raise UserError(f"{path} is of another recipe than its name says; remove it")
        return document

    def folder(self, kind: str, key: str) -> Path:
        """Return where the files of an artefact of several are or would be."""
        return self.root / kind / key

    def folders(self, kind: str) -> set[str]:
        """Return the keys of all such artefacts of a kind that are finished."""
        return {key for key in self.keys(kind, "") if len(key) == DIGITS}

    def artefact_of(self, path: str) -> tuple[str, str] | None:
        """Return kind and key of the artefact, a folder, that a file is of; None if of none."""
        with suppress(ValueError):
            kind, key, *below = Path(path).relative_to(self.root).parts
            return (kind, key) if below else None
        return None

    def require(self, kind: str, key: str) -> None:
        """Refuse an artefact of several files that is of another recipe than its name says.

        Raises:
            UserError: naming it, and the remedy.
        """
        folder = self.folder(kind, key)
        if key_of(canonical(_read(folder / RECIPE).get("recipe"))) != key:
            raise UserError(f"{folder} is of another recipe than its name says; remove it")

    def make(self, wanted: Sequence[Artefact], fill: Callable[[Mapping[str, Path]], None]) -> None:
        """Make artefacts of several files in one go, unless all of them are there.

        Args:
            wanted: what is made.
            fill: called with the folder that each is made in, by its key. Whole files of an
                earlier call that was killed lie there still.

        Raises:
            UserError: if they cannot be written.
        """
        parts = {each.key: self.root / each.kind / f"{each.key}.part" for each in wanted}
        with ExitStack() as locks:
            for part in sorted(parts.values()):
                locks.enter_context(exclusive(part, wait_s=float("inf")))
            left = [each for each in wanted if not self.folder(each.kind, each.key).exists()]
            if left:
                for part in parts.values():
                    remove_leftovers(part)
                fill(parts)
            for each in wanted:
                if each in left:
                    _finished(parts[each.key], each)
                    folder = self.folder(each.kind, each.key)
                    _renamed(parts[each.key], folder)
                    (folder / LOCK).unlink(missing_ok=True)
                shutil.rmtree(parts[each.key], ignore_errors=True)


def _read(path: Path) -> dict[str, Any]:
    try:
        return parsed(path.read_bytes())
    except (OSError, *UNREADABLE) as error:
        raise UserError(
            f"{path} cannot be read ({f'{error}'[:200]}); remove it and it is made again"
        ) from error


def _renamed(part: Path, folder: Path) -> None:
    """Give a folder its name, unless another writer was first."""
    try:
        os.rename(part, folder)
        sync(part.parent)
    except OSError as error:
        if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
            raise


def _finished(part: Path, artefact: Artefact) -> None:
    """Write the recipe of a whole artefact, and make its files read-only and lasting.

    The lock stays until the folder has its name, or another writer would begin meanwhile.
    """
    with writing(part):
        files = sorted(path for path in part.rglob("*") if path.is_file())
        files.remove(part / LOCK)
        # What lies deeper has digests of its own, as the chunks of a feature store.
        digests = {path.name: sha256(path) for path in files if path.parent == part}
        write_json(part / RECIPE, {"recipe": artefact.recipe, "files": digests})
        for path in [*files, part / RECIPE]:
            os.chmod(path, 0o444)
            sync(path)
        sync(part)


def _named(temporary: Path, path: Path) -> None:
    """Give a file its name, unless another writer was first."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        return
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        if not path.exists():
            os.rename(temporary, path)
