"""Files: atomic writes and digests. Every result is written to a temporary name, then renamed."""

import errno
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError

REMEDIES = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "make room for it"),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "let it be written"),
    errno.EIO: "see whether its disk is sound",
}
"""What to do about an error of the file system for which no code of ours is to blame."""


@contextmanager
def writing(path: str | Path) -> Iterator[None]:
    """Say in one sentence why a file or folder could not be written inside the block.

    Errors of files that lie elsewhere, and bugs, pass as they are.

    Raises:
        UserError: naming it, what the file system said, and what to do.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in REMEDIES or not _concerns(error, Path(path)):
            raise
        raise UserError(
            f"{path} could not be written ({os.strerror(error.errno)}); "
            f"{REMEDIES[error.errno]} and run again"
        ) from error


def _concerns(error: OSError, path: Path) -> bool:
    """Return whether an error is of a path, of what lies beside or below it, or of no file."""
    if not isinstance(error.filename, str):
        return True
    named, path = Path(os.path.abspath(error.filename)), Path(os.path.abspath(path))
    return named.is_relative_to(path.parent) or path.is_relative_to(named)


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; rename it to `path` if the block succeeds.

    The temporary keeps the suffix of `path`, because writers such as matplotlib choose their
    format from it.

    Raises:
        UserError: if the disk is full, or the file cannot be written for another such reason.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield temporary
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)


def remove_leftovers(folder: str | Path) -> None:
    """Remove below `folder` what killed processes have left of `replacing`."""
    for path in Path(folder).rglob(".*.part*"):
        with writing(path):
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
