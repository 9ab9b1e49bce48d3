"""The store: artefacts named by the digest of their recipe, so that a file that exists is valid.

A recipe is all that decides an artefact and is known when the plan is made. Its canonical JSON has
sorted keys; the key is the first 24 hexadecimal digits of its SHA-256. An artefact of one file is
written under a temporary name, synced and made read-only before it gets its name, which a second
writer leaves alone: both have made the same.
"""

import errno
import json
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from fbftl.ground.durable import sync
from fbftl.ground.errors import UserError
from fbftl.ground.files import UNREADABLE, parsed, writing

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
    return sha256(text.encode()).hexdigest()[:DIGITS]


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

    def json(self, kind: str, key: str, recipe: Recipe | None = None) -> dict[str, Any]:
        """Return a document of the store.

        Args:
            kind, key: of the artefact.
            recipe: that it must hold under `recipe`; None for a document without one.

        Raises:
            UserError: if it cannot be read, or is of another recipe.
        """
        path = self.path(kind, key, ".json")
        try:
            document = parsed(path.read_bytes())
        except (OSError, *UNREADABLE) as error:
            raise UserError(
                f"{path} cannot be read ({f'{error}'[:200]}); remove it and it is made again"
            ) from error
        if recipe is not None and canonical(document.get("recipe")) != canonical(recipe):
            raise UserError(f"{path} is of another recipe than its name says; remove it")
        return document


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
