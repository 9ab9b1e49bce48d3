"""Seals: a finished job's record holds the digests of its outputs, and later calls compare.

Its log ends with the same digests, for whoever reads it, and seals where there is no record.

A workflow engine sees that a result is missing or old, not that a byte of it has changed since. A
result that is not what its job wrote must never reach a table. Of the feature store the root's
metadata is compared; its chunks are verified as they are read.
"""

import os
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from pathlib import Path

from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256
from fbftl.ground.staleness import JobRecord, record_of_log, recorded, store_digest

DRY_RUN = {"-n", "--dry-run", "--dryrun"}
"""Options of a call that makes nothing."""

LINE = re.compile(rb" sealed ([0-9a-f]{64}) (.+)$", re.MULTILINE)

DigestOf = Callable[[str], str]
"""From a path to the file's SHA-256, e.g. `fbftl.ground.digests.Digests`."""


def seals(outputs: Iterable[str]) -> Iterator[str]:
    """Yield a line for the log per output file, in the order given."""
    for path in outputs:
        if Path(path).is_file():
            yield f"sealed {sha256(path)} {path}"


def sealed(results: str | Path) -> dict[str, str]:
    """Return the last digest that a job's record, or its log, gives each result, by its path.

    Args:
        results: folder whose logs and records are read.
    """
    records = recorded(results)
    by_path = {path: record.outputs for path, record in records.items()} | _of_logs(
        results, records
    )
    last: dict[str, str] = {}
    for path in sorted(by_path, key=lambda path: Path(path).stat().st_mtime):
        last |= by_path[path]
    return last


def broken(
    results: str | Path,
    digest_of: DigestOf = sha256,
    records: Mapping[str, JobRecord] | None = None,
) -> list[str]:
    """Return the paths of existing results that are not what their job wrote, sorted.

    Args:
        results: folder whose logs are read; their paths are relative to the working folder.
        digest_of: gives the digest of a file that is there.
        records: the records below that folder, by their path; None reads them.
    """
    records = recorded(results) if records is None else records
    accepted = defaultdict(set)
    for seal in (
        *(record.outputs for record in records.values()),
        *_of_logs(results, records).values(),
    ):
        for path, digest in seal.items():
            accepted[path].add(digest)
    # A setting that moved to another process left an older seal in the log of its former one.
    return sorted(
        path
        for path, digests in accepted.items()
        if Path(path).is_file() and digest_of(path) not in digests
    )


def _of_logs(results: str | Path, records: Container[str]) -> dict[str, dict[str, str]]:
    """Return what the logs seal whose job has no record, by their path."""
    return {
        str(log): {path.decode(): digest.decode() for digest, path in LINE.findall(content)}
        for log in Path(results).glob("**/logs/**/*.log")
        if str(record_of_log(log)) not in records and (content := log.read_bytes())
    }


def require_unbroken(
    results: str | Path,
    digest_of: DigestOf = sha256,
    records: Mapping[str, JobRecord] | None = None,
) -> None:
    """Refuse results that were changed after they were made, and folders that cannot be written.

    Raises:
        UserError: naming them.
    """
    require_writable(results)
    if paths := broken(results, digest_of, records):
        listed = ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")
        raise UserError(
            f"changed after the workflow wrote it: {listed}; remove it and it is made again"
        )


def require_writable(results: str | Path) -> None:
    """Refuse a folder in which this call would make results, or keep its state, and may not.

    A dry run makes no results.

    Raises:
        UserError: naming the first.
    """
    state, results = Path(".snakemake"), Path(results)
    folders = [state if state.exists() else Path()]
    if DRY_RUN.isdisjoint(sys.argv):
        made = [results, *results.iterdir()] if results.is_dir() else []
        folders += [path for path in made if path.is_dir()] or [Path()]
    for folder in folders:
        if not os.access(folder, os.W_OK | os.X_OK):
            raise UserError(
                f"{folder.resolve()} cannot be written by you; change its permissions, or make the "
                "study in another folder"
            )


def require_whole_stores(records: Mapping[str, JobRecord]) -> None:
    """Refuse feature stores of which a file was removed, added or cut.

    Args:
        records: the record of each finished job.

    Raises:
        UserError: naming the first.
    """
    for record in records.values():
        for root, digest in record.stores.items():
            if Path(root).is_file() and store_digest(root) != digest:
                raise UserError(
                    f"{Path(root).parent} has other files than its job wrote; "
                    "`snakemake repair_features` mends it, or remove it and it is made again"
                )
