"""A job's surroundings: its log file, its threads, and what of an error the user sees."""

import logging
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.ground.seals import seals

log = logging.getLogger("fbftl")


def run_job(job: Any, main: Callable[[Any], None]) -> None:
    """Run a script's `main` with the job object that the workflow hands to scripts.

    Log records go to the job's log file and to the console. An error leaves its traceback in
    the log and one sentence on the console, and ends the process with status 1. The log of a job
    that succeeds ends with the digests of its outputs, see `fbftl.ground.seals`.

    Args:
        job: has `log` and `output` (lists of paths), `threads` (int) and whatever `main` reads.
        main: called with `job`.
    """
    path = Path(job.log[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    form = "%(asctime)s %(levelname)s %(message)s"
    to_file = logging.FileHandler(path, mode="w", encoding="utf-8")
    to_file.setFormatter(logging.Formatter(form))
    log.addHandler(to_file)
    log.addHandler(logging.StreamHandler())
    log.setLevel(logging.INFO)
    # Some libraries give the root logger a handler, which would say everything again.
    log.propagate = False
    try:
        main(job)
        for line in seals(job.output):
            log.info(line)
    except Exception as error:
        with path.open("a", encoding="utf-8") as file:
            traceback.print_exc(file=file)
        sentence = str(error) if isinstance(error, UserError) else f"unexpected error: {error!r}"
        sys.exit(f"{sentence} (details: {path})")
