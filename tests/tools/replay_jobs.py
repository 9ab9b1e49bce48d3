"""Run the recorded jobs of a finished study again, in this process, and compare what they write.

    python tests/tools/replay_jobs.py NATIVE [rule ...]

NATIVE is the folder of the finished study with its jobs; the working folder is a copy of it. Jobs
of the rules are left out, and those that draw figures.
`emulated_study.py` calls this. Prints a line for each result: rule, path and verdict.
"""

import json
import logging
import os
import pickle
import runpy
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from fbftl.ground.exact import VARIABLES

FIGURES = "scripts/figures/"

EQUAL, DIFFERENT, FAILED = "equal", "differs", "not made: the job failed"
"""Verdicts on a result that was made again."""


def main(native: Path, *left_out: str) -> None:
    """Run the jobs in the order in which they were started, but those of some rules."""
    for path in sorted((native / "jobs").iterdir()):
        script, job = pickle.loads(path.read_bytes())
        if script.startswith(FIGURES) or job.rule in left_out:
            continue
        expected = list(results(job))
        finished = run(script, job)
        for result in expected:
            verdict = compared(native / result, result) if finished else FAILED
            print(job.rule, result, verdict, sep="\t", flush=True)
            if verdict != EQUAL:
                result.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(native / result, result)


def run(script: str, job: Any) -> bool:
    """Run a job's script after its outputs are gone, and tell whether it ended well.

    It asks for the arithmetic that this process has, or it would refuse to run without it.
    """
    params = job.params  # made anew at each look
    params.exact = VARIABLES.items() <= os.environ.items()
    job = SimpleNamespace(**vars(job), params=params)
    for output in map(Path, job.output):
        if output.name == "zarr.json":
            shutil.rmtree(output.parent)
            output.parent.with_name(f".{output.parent.stem}.finished.json").unlink(missing_ok=True)
    for output in map(Path, job.output):
        output.unlink(missing_ok=True)
    try:
        runpy.run_path(script, init_globals={"snakemake": job}, run_name="__main__")
    except SystemExit as error:
        print(error, file=sys.stderr)
        return False
    finally:
        # The next job has a log of its own.
        logging.getLogger("fbftl").handlers.clear()
    return True


def results(job: Any) -> Iterator[Path]:
    """Yield the files that a job writes, of a store every chunk."""
    for output in map(Path, job.output):
        if output.name == "zarr.json":
            yield from sorted(path for path in output.parent.rglob("*") if path.is_file())
        else:
            yield output


def compared(before: Path, after: Path) -> str:
    """Return whether a result is equal, differs or is missing; what is about it does not count."""
    if not before.is_file() or not after.is_file():
        return "missing"
    if before.name.endswith(".meta.json"):
        equal = models(before) == models(after)
    else:
        equal = before.read_bytes() == after.read_bytes()
    return EQUAL if equal else DIFFERENT


def models(meta: Path) -> Any:
    """Return the digests of models that a record of how a run was made has, if it has any."""
    return json.loads(meta.read_text(encoding="utf-8")).get("models")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
