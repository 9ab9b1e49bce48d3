"""Seals: a finished job's log ends with the digests of its outputs, and later calls compare.

A workflow engine sees that a result is missing or old, not that a byte of it has changed since. A
result that is not what its job wrote must never reach a table. Folders are left out: the feature
store verifies every chunk that is read.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256

LINE = re.compile(rb" sealed ([0-9a-f]{64}) (.+)$", re.MULTILINE)

ALWAYS_READ = 2**20
"""Bytes up to which a file is always compared; larger ones when they changed after the log."""


def seals(outputs: Iterable[str]) -> Iterator[str]:
    """Yield a line for the log per output file, in the order given."""
    for path in outputs:
        if Path(path).is_file():
            yield f"sealed {sha256(path)} {path}"


def broken(results: str | Path) -> list[str]:
    """Return the paths of existing results that are not what their job wrote, sorted.

    Args:
        results: folder whose logs are read; their paths are relative to the working folder.
    """
    sealed = defaultdict(list)
    for log in Path(results).glob("**/logs/**/*.log"):
        for digest, path in LINE.findall(log.read_bytes()):
            sealed[path.decode()].append((digest.decode(), log))
    # A setting that moved to another process left an older seal in the log of its former one.
    return sorted(
        path
        for path, seals_of in sealed.items()
        if not any(_intact(Path(path), digest, log) for digest, log in seals_of)
    )


def _intact(path: Path, digest: str, log: Path) -> bool:
    if not path.is_file():
        return True
    told = path.stat()
    if told.st_size > ALWAYS_READ and told.st_mtime <= log.stat().st_mtime:
        return True
    return sha256(path) == digest


def require_unbroken(results: str | Path) -> None:
    """Refuse results that were changed after they were made.

    Raises:
        UserError: naming them.
    """
    if paths := broken(results):
        listed = ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
        raise UserError(
            f"changed after the workflow wrote it: {listed}; remove it and it is made again"
        )
