"""Records: what decided each finished job, what it read and what it wrote, beside its results.

A workflow engine keeps such notes in the folder where it runs; they are gone when that folder is
cleaned, and belong to other results when results are moved. A record lies below the results
themselves, and a later call compares it with what the job would be now, see
`fbftl.ground.staleness`.
"""

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fbftl.ground.digests import digests_of_param
from fbftl.ground.files import link, sha256, write_json
from fbftl.ground.provenance import lock_digest
from fbftl.ground.staleness import STOOD_FOR, JobRecord, read_record, record_of_log, store_digest

ROOT = "zarr.json"
"""Output that stands for the whole store in whose folder it lies."""


def record(job: Any) -> dict[str, Any]:
    """Return what decides a job, what it reads, and the pins of its packages, before it runs.

    Args:
        job: has `rule` (its name), `wildcards`, `params` and `input`, as scripts are handed them.
    """
    return {
        "rule": job.rule,
        "lock": lock_digest(),
        "wildcards": dict(job.wildcards.items()),
        "params": {name: digests_of_param(value) for name, value in job.params.items()},
        "inputs": {
            path: sha256(path)
            for path in map(str, job.input)
            if not path.endswith(STOOD_FOR) and os.path.isfile(path)
        },
    }


def write_record(log: str | Path, job_record: Mapping[str, Any], outputs: Iterable[str]) -> None:
    """Write the record of a finished job, with the digests of its outputs.

    Args:
        log: path of the job's log, which decides where the record goes.
        job_record: as `record` gives it.
        outputs: paths of the files that the job wrote.
    """
    digests = {path: sha256(path) for path in outputs if Path(path).is_file()}
    stores = {path: store_digest(path) for path in digests if Path(path).name == ROOT}
    if digests:
        write_json(record_of_log(log), {**job_record, "outputs": digests, "stores": stores})


def taken_over(
    log: str | Path, job_record: Mapping[str, Any], outputs: Iterable[str], elsewhere: str | Path
) -> bool:
    """Link what an equal job has finished in another folder, and tell whether there was one.

    Equal are its rule, params, pinned packages and the content of what it read; what it wrote must
    be unchanged.

    Args:
        log: path of the job's log.
        job_record: as `record` gives it.
        outputs: paths of the files that the job is to write, relative to the working folder.
        elsewhere: the folder in which the other study ran.
    """
    outputs, there = list(outputs), Path(elsewhere)
    finished = read_record(there / record_of_log(log))
    if finished is None or not _equal(finished, job_record, outputs):
        return False
    if any(
        not (there / path).is_file() or sha256(there / path) != digest
        for path, digest in finished.outputs.items()
    ):
        return False
    if any(store_digest(there / root) != digest for root, digest in finished.stores.items()):
        return False
    for path in outputs:
        _link_store(there, path) if Path(path).name == ROOT else link(there / path, Path(path))
    return True


def _equal(finished: JobRecord, job_record: Mapping[str, Any], outputs: list[str]) -> bool:
    """Tell whether two jobs are one; what lies outside the results counts by its name."""
    return (
        finished.params == job_record["params"]
        and finished.lock == job_record["lock"]
        and _named(finished.inputs) == _named(job_record["inputs"])
        and sorted(finished.outputs) == sorted(outputs)
    )


def _named(inputs: Mapping[str, str]) -> dict[str, str]:
    return {path.removeprefix("../"): digest for path, digest in inputs.items()}


def _link_store(there: Path, root: str) -> None:
    """Link a whole store, and the note beside it that says that it is finished."""
    folder = Path(root).parent
    shutil.rmtree(folder, ignore_errors=True)
    note = folder.with_name(f".{folder.stem}.finished.json")
    files = [path for path in (there / folder).rglob("*") if path.is_file()]
    # The root comes last: with it the store is there.
    for path in sorted(files, key=lambda path: path == there / root):
        link(path, path.relative_to(there))
    if (there / note).is_file():
        link(there / note, note)
