"""Seals: a finished job's log ends with the digests of its outputs, and later calls compare.

A workflow engine sees that a result is missing or old, not that a byte of it has changed since. A
result that is not what its job wrote must never reach a table. Of the feature store the root's
metadata is compared; its chunks are verified as they are read.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256

LINE = re.compile(rb" sealed ([0-9a-f]{64}) (.+)$", re.MULTILINE)

DigestOf = Callable[[str], str]
"""From a path to the file's SHA-256, e.g. `fbftl.ground.digests.Digests`."""


def seals(outputs: Iterable[str]) -> Iterator[str]:
    """Yield a line for the log per output file, in the order given."""
    for path in outputs:
        if Path(path).is_file():
            yield f"sealed {sha256(path)} {path}"


def sealed(results: str | Path) -> dict[str, str]:
    """Return the last digest that a log gives each result, by its path.

    Args:
        results: folder whose logs are read.
    """
    last = {}
    for log in sorted(
        Path(results).glob("**/logs/**/*.log"), key=lambda path: path.stat().st_mtime
    ):
        for digest, path in LINE.findall(log.read_bytes()):
            last[path.decode()] = digest.decode()
    return last


def broken(results: str | Path, digest_of: DigestOf = sha256) -> list[str]:
    """Return the paths of existing results that are not what their job wrote, sorted.

    Args:
        results: folder whose logs are read; their paths are relative to the working folder.
        digest_of: gives the digest of a file that is there.
    """
    known = defaultdict(set)
    for log in Path(results).glob("**/logs/**/*.log"):
        for digest, path in LINE.findall(log.read_bytes()):
            known[path.decode()].add(digest.decode())
    # A setting that moved to another process left an older seal in the log of its former one.
    return sorted(
        path
        for path, digests in known.items()
        if Path(path).is_file() and digest_of(path) not in digests
    )


def require_unbroken(results: str | Path, digest_of: DigestOf = sha256) -> None:
    """Refuse results that were changed after they were made.

    Raises:
        UserError: naming them.
    """
    if paths := broken(results, digest_of):
        listed = ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
        raise UserError(
            f"changed after the workflow wrote it: {listed}; remove it and it is made again"
        )
