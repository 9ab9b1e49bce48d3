"""A job's surroundings: its log file, its threads, and what of an error the user sees."""

import atexit
import gc
import logging
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.ground.exact import require_pinned
from fbftl.ground.files import writing
from fbftl.ground.parts import make
from fbftl.ground.seals import seals

log = logging.getLogger("fbftl")


class LogFile(logging.FileHandler):
    """A job's log. A record that cannot be written ends the job: its seals would be lost too."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Say in one sentence why; `logging` would print a traceback and go on."""
        with writing(self.baseFilename):
            raise


def run_job(job: Any, main: Callable[[Any], None]) -> None:
    """Run a script's `main` with the job object that the workflow hands to scripts.

    Log records go to the job's log file and to the console. An error leaves its traceback in
    the log and one sentence on the console, and ends the process with status 1. The log of a job
    that succeeds ends with the digests of its outputs, see `fbftl.ground.seals`, and its record is
    written, see `fbftl.ground.records`.

    Args:
        job: has `log`, `input` and `output` (lists of paths), `rule`, `wildcards`, `params` and
            `config` as scripts are handed them, and whatever else `main` reads. Where its config
            says `finished_in` or `kept_in`, a folder, what an equal job wrote there is linked
            instead.
        main: called with `job`, or where that has several settings with those that are left.
    """
    # A process that ends frees all at once; to look for circles in every module first takes a
    # third of a short training job.
    atexit.register(gc.freeze)
    path = Path(job.log[0])
    log.addHandler(logging.StreamHandler())
    log.setLevel(logging.INFO)
    # Some libraries give the root logger a handler, which would say everything again.
    log.propagate = False
    try:
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            to_file = LogFile(path, mode="w", encoding="utf-8")
        to_file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
        log.addHandler(to_file)
        if dict(job.params.items()).get("exact"):
            require_pinned()
        if linked := make(job, main):
            log.info("linked what an equal job has written: %d", linked)
        for line in seals(job.output):
            log.info(line)
    except Exception as error:
        sentence = str(error) if isinstance(error, UserError) else f"unexpected error: {error!r}"
        with suppress(OSError), path.open("a", encoding="utf-8") as file:
            traceback.print_exc(file=file)
            sentence += f" (details: {path})"
        sys.exit(sentence)
