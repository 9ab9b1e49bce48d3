"""Files: atomic writes and digests. Every result is written to a temporary name, then renamed.

Durable writes survive a power cut: they are on disk, and under their name, before they are relied
on.
"""

import csv
import errno
import glob
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

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


def remove_leftovers_of(path: str | Path) -> None:
    """Remove what killed processes have left of `replacing` this path, which nobody else writes."""
    path = Path(path)
    for left in path.parent.glob(f".{glob.escape(path.stem)}.*.part{glob.escape(path.suffix)}"):
        with writing(left):
            left.unlink(missing_ok=True)


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


UNREADABLE = ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError
"""What goes wrong where a damaged file is parsed, and its parts are put in their places."""


@contextmanager
def parsing(path: str | Path, kind: str) -> Iterator[None]:
    """Say in one sentence that a result whose content is parsed inside the block is damaged.

    Args:
        path: of the result.
        kind: what it is, as in `run file`.

    Raises:
        UserError: naming it, what is wrong, and what to do.
    """
    try:
        yield
    except UNREADABLE as error:
        raise damaged(path, kind, error) from error


def damaged(path: str | Path, kind: str, error: Exception) -> UserError:
    """Return the sentence that refuses a damaged result."""
    return UserError(
        f"{kind} {path} is damaged ({message_of(error)}); remove it and it is made again"
    )


def message_of(error: Exception) -> str:
    """Return what an error says, as one line that can be printed."""
    text = f"{error}"[:200] or type(error).__name__
    return "".join(c if c.isprintable() else " " for c in text)


def read_json(path: str | Path, kind: str) -> dict[str, Any]:
    """Return the mapping in a JSON file that a job wrote.

    Args:
        path: of the file.
        kind: what it is, for the sentence that refuses it.

    Raises:
        UserError: if it is no JSON, no mapping, or has a key twice or a number that is none.
    """
    with parsing(path, kind):
        return parsed(Path(path).read_bytes())


def parsed(content: bytes) -> dict[str, Any]:
    """Return the mapping in a document, as `write_json` writes it.

    Raises:
        ValueError: if it is no JSON, or has a key twice or a number that is none.
        TypeError: if it is no mapping.
        RecursionError: if it is too deep.
    """
    document = json.loads(content, parse_constant=_no_number, object_pairs_hook=_once)
    if not isinstance(document, dict):
        raise TypeError("it is no mapping")
    return document


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a mapping, refused if a key is in it twice, which JSON leaves open."""
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"{max(keys, key=keys.count)!r:.40} is in it twice")
    return mapping


def csv_rows(path: str | Path) -> list[dict[str, str]]:
    """Return the rows of a csv, each cell as text under its heading."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


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
    actual = digest_of(path)
    if digest is not None and actual != digest.lower():
        raise UserError(
            f"{path} has sha256 {actual}, not {digest} as expected; fetch the file again, or "
            "correct source.sha256 if this is the file you mean"
        )
    return actual


def link(source: Path, path: Path) -> None:
    """Link a file, or copy it where its file system cannot."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        try:
            os.link(source, path)
        except OSError:
            with replacing(path) as temporary:
                shutil.copyfile(source, temporary)


def write_durably(path: Path, content: bytes) -> None:
    """Write a file atomically and wait until its content is on the disk."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)
        sync(temporary)


def sync(path: Path) -> None:
    """Wait until a file's content, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
