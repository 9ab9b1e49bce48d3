"""Parts: a job of several settings as so many jobs, each with its record, kept once it is finished.

What a setting was made from is on record by its own name, whichever process it shared, so that the
next call may have it share another. What a job finishes before it fails or is killed is kept apart,
since the workflow engine removes what that job has written.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from fbftl.ground.files import link, sha256, write_json
from fbftl.ground.records import record, taken_over, write_record
from fbftl.ground.staleness import record_of_log


@dataclass(frozen=True)
class Part:
    """What of a job is on record by itself: all of it, or one of the settings that share it.

    log: the job's log, or the one that the setting would have alone; decides where the record goes.
    record: as `record` gives it, of that setting.
    outputs: paths of the files that it writes.
    """

    log: Path
    record: Mapping[str, Any]
    outputs: list[str]


def make(job: Any, main: Callable[[Any], None]) -> int:
    """Have a script make what of a job no equal one has made, and leave the records of all.

    Args:
        job: as `fbftl.ground.logs.run_job` has it.
        main: called with the job, with those of its settings alone that are left.

    Returns:
        How many parts were linked instead.
    """
    of_job = parts(job)
    kept, elsewhere = job.config.get("kept_in"), job.config.get("finished_in")
    folders = [folder for folder in (kept, elsewhere) if folder]
    left = [
        index
        for index, part in enumerate(of_job)
        if not any(taken_over(part.log, part.record, part.outputs, there) for there in folders)
    ]

    def done(index: int) -> None:
        if kept:
            keep(of_job[left[index]], kept)

    if len(of_job) > 1 and left:
        main(rest(job, left, done))
    elif left:
        main(job)
    for part in of_job:
        write_record(part.log, part.record, part.outputs)
        if kept:
            forget(part, kept)
    return len(of_job) - len(left)


def parts(job: Any) -> list[Part]:
    """Return what of a job is on record by itself, in the order of its param `jobs`.

    A setting's record is the one that a process of its own would leave, so that it may share a
    process with others at any other time.

    Args:
        job: as for `record`, with `log` and `output` too.
    """
    log, whole = Path(job.log[0]), record(job)
    digests = whole["params"].get("jobs")
    if not isinstance(digests, list) or len(digests) < 2 or not _of_each(job.output, len(digests)):
        return [Part(log, whole, list(job.output))]
    return [
        Part(
            log.with_name(f"{Path(outputs[0]).stem}.log"),
            whole | {"params": whole["params"] | {"jobs": [digest]}},
            list(outputs),
        )
        for digest, *outputs in zip(digests, *_lists(job.output), strict=True)
    ]


def rest(job: Any, left: Sequence[int], keep: Callable[[int], None]) -> Any:
    """Return a job of several settings with those alone that are left, as scripts read it.

    Args:
        job: with all of them.
        left: their indices.
        keep: called by the script with the index of each that it has finished, among these.
    """
    output = {name: [files[index] for index in left] for name, files in job.output.items()}
    jobs = [job.params.jobs[index] for index in left]
    return SimpleNamespace(
        input=job.input,
        output=output,
        params=SimpleNamespace(**{**dict(job.params.items()), "jobs": jobs}),
        config=job.config,
        threads=job.threads,
        keep=keep,
    )


def _lists(output: Any) -> Iterator[list[str]]:
    return (files for _, files in output.items())


def _of_each(output: Any, settings: int) -> bool:
    """Tell whether a job writes a file of every name for each of its settings."""
    return all(not isinstance(files, str) and len(files) == settings for files in _lists(output))


def keep(part: Part, folder: str | Path) -> None:
    """Keep what a part of a job has written, until all of the job is done.

    The workflow engine removes what a job that fails or is killed has written; the next job finds
    there what was finished, see `taken_over`.

    Args:
        part: of the job.
        folder: where it is kept, by the same paths.
    """
    there = Path(folder)
    for path in part.outputs:
        link(Path(path), there / path)
    digests = {path: sha256(path) for path in part.outputs}
    write_json(there / record_of_log(part.log), {**part.record, "outputs": digests, "stores": {}})


def forget(part: Part, folder: str | Path) -> None:
    """Remove what was kept of a part of a job."""
    for path in (record_of_log(part.log), *part.outputs):
        Path(folder, path).unlink(missing_ok=True)
