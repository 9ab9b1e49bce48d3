"""What no longer fits: results whose job was decided by, or read, something else than now.

Compared is what the records say (`fbftl.ground.records`), which lie below the results and move with
them, so that the workflow engine's own notes may be gone or belong to other results.
"""

import json
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fbftl.ground.digests import digest_of_value
from fbftl.ground.remembered import Parsed

STOOD_FOR = (".h5", ".safetensors", "zarr.json", "location.txt")
"""How the names of large inputs end; a small input with the digest is beside each."""

DigestOf = Callable[[str], str]
"""From a path to the file's SHA-256, e.g. `fbftl.ground.digests.Digests`."""


@dataclass(frozen=True)
class JobRecord:
    """What is on record of a finished job.

    rule: name of its rule.
    wildcards: their values by name.
    params: digest of each param by name, or one for each entry of it.
    inputs: SHA-256 of what it read, by path; of large files what stands for them.
    outputs: SHA-256 of what it wrote, by path.
    stores: digest of the list of files of each store that it wrote, by its root's metadata.
    lock: SHA-256 of the file that pinned its packages, empty if there was none.
    """

    rule: str
    wildcards: Mapping[str, str]
    params: Mapping[str, Any]
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]
    stores: Mapping[str, str] = field(default_factory=dict)
    lock: str = ""


def record_of_log(log: str | Path) -> Path:
    """Return where the record of a job goes: below `records` as its log goes below `logs`."""
    parts = list(Path(log).parts)
    parts[parts.index("logs")] = "records"
    return Path(*parts).with_suffix(".json")


def record_in(content: bytes) -> dict[str, Any] | None:
    """Return what a record says, None if it is damaged."""
    with suppress(ValueError, TypeError, AttributeError):
        content = json.loads(content)
        if JobRecord.__dataclass_fields__.keys() == content.keys() and all(
            isinstance(value, str)
            if key in ("rule", "lock")
            else isinstance(value, dict) and (key == "params" or _is_of_texts(value))
            for key, value in content.items()
        ):
            return dict(content)
    return None


def _is_of_texts(mapping: Mapping[str, Any]) -> bool:
    return all(isinstance(value, str) for value in mapping.values())


def read_record(path: str | Path) -> JobRecord | None:
    """Return the record in a file, None if there is none or it is damaged."""
    try:
        content = record_in(Path(path).read_bytes())
    except OSError:
        return None
    return None if content is None else JobRecord(**content)


def recorded(
    results: str | Path, read: Callable[[str], JobRecord | None] = read_record
) -> dict[str, JobRecord]:
    """Return the record of each finished job below a folder of results, by the record's path.

    Damaged ones are left out.

    Args:
        results: the folder.
        read: gives the record in a file, None if it is damaged.
    """
    records = {str(path): read(str(path)) for path in Path(results).glob("**/records/**/*.json")}
    return {path: record for path, record in records.items() if record is not None}


def remembered(kept: str | Path, results: str | Path) -> dict[str, JobRecord]:
    """Return the records, each read once while neither its size nor its times change.

    Args:
        kept: file that remembers what records say between two calls.
        results: the folder.
    """
    parsed = Parsed(kept, record_in)
    records = recorded(results, lambda path: (content := parsed(path)) and JobRecord(**content))
    parsed.keep()
    return records


def store_digest(root: str | Path) -> str:
    """Return one digest for names and sizes of the files of a store, by its root's metadata."""
    folder = Path(root).parent
    there = (path for path in folder.rglob("*") if path.is_file())
    return digest_of_value(
        sorted([path.relative_to(folder).as_posix(), path.stat().st_size] for path in there)
    )


def changed_inputs(record: JobRecord, inputs: Collection[str], digest_of: DigestOf) -> str | None:
    """Return what tells a job's inputs from those on record, None if they are the same.

    A missing file decides nothing: it is made again, and its job decides.

    Args:
        record: of the finished job.
        inputs: paths of what it would read now.
        digest_of: gives the SHA-256 of a file that is there.
    """
    now = {path for path in inputs if not path.endswith(STOOD_FOR)}
    if now != record.inputs.keys():
        return "inputs"
    for path, digest in record.inputs.items():
        with suppress(OSError):
            if digest_of(path) != digest:
                return path
    return None


def changed_param(record: JobRecord, params: Mapping[str, Any]) -> str | None:
    """Return the name of the first param whose digest is another than on record, if any."""
    names = [*params, *(name for name in record.params if name not in params)]
    return next((n for n in names if params.get(n) != record.params.get(n)), None)
