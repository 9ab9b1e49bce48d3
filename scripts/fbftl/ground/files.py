"""Files: atomic writes and digests. Every result is written to a temporary name, then renamed."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it to `path` if the block succeeds.

    The temporary keeps the suffix of `path`, because writers such as matplotlib choose their
    format from it.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def remove_leftovers(folder: str | Path) -> None:
    """Remove below `folder` what killed processes have left of `replacing`."""
    for path in Path(folder).rglob(".*.part*"):
        path.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write `text` as UTF-8, atomically."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: str | Path, document: Any) -> None:
    """Write `document` as JSON with sorted keys, atomically; equal documents give equal bytes.

    Raises:
        ValueError: if a number is NaN or infinite, which JSON cannot carry.
    """
    text = json.dumps(document, indent=1, sort_keys=True, allow_nan=False, ensure_ascii=False)
    write_text(path, text + "\n")


def sha256(path: str | Path) -> str:
    """Return the hex SHA-256 digest of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_beside(path: str | Path) -> Path:
    """Return the small file that stands for a large one in the workflow, see `write_digest`."""
    return Path(f"{path}.sha256")


def write_digest(path: str | Path) -> None:
    """Write a file's SHA-256 beside it, as ``sha256sum`` does; ``sha256sum -c`` compares."""
    write_text(digest_beside(path), f"{sha256(path)}  {Path(path).name}\n")


def check_digest(
    path: str | Path, digest: str | None, digest_of: Callable[[str | Path], str] = sha256
) -> str:
    """Return the SHA-256 of `path`, as `digest_of` gives it, if it is the expected one.

    Raises:
        UserError: if the file is missing or its digest is not `digest`.
    """
    if not Path(path).is_file():
        raise UserError(f"weights file {path} does not exist; put it there or correct source.file")
    found = digest_of(path)
    if digest is not None and found != digest.lower():
        raise UserError(
            f"{path} has sha256 {found}, not {digest} as expected; fetch the file again, or "
            "correct source.sha256 if this is the file you mean"
        )
    return found
