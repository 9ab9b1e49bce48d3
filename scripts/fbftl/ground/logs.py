"""A job's surroundings: its note, its log file, and what of an error the user sees."""

import atexit
import gc
import logging
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from fbftl.ground.artefacts import Store
from fbftl.ground.errors import UserError
from fbftl.ground.exact import require_pinned
from fbftl.ground.files import writing

log = logging.getLogger("fbftl")

NOTES = "notes"
"""Folder of the store with what jobs are to make."""


class LogFile(logging.FileHandler):
    """A job's log. A record that cannot be written ends the job."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Say in one sentence why; `logging` would print a traceback and go on."""
        with writing(self.baseFilename):
            raise


def run_job(job: Any, main: Callable[[Mapping[str, Any], Store, int], None]) -> None:
    """Run a script's `main` with the note of a job that the workflow hands to scripts.

    Log records go to the job's log file and to the console. An error leaves its traceback in
    the log and one sentence on the console, and ends the process with status 1.

    Args:
        job: has `log`, `threads` and the params `store` and `note`: a folder, and the name of a
            note in it.
        main: called with the note, the store and the threads.
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
        store = Store(Path(job.params.store))
        note = store.json(NOTES, job.params.note)
        if note["study"]["exact"]:
            require_pinned()
        main(note, store, job.threads)
    except Exception as error:
        sentence = str(error) if isinstance(error, UserError) else f"unexpected error: {error!r}"
        with suppress(OSError), path.open("a", encoding="utf-8") as file:
            traceback.print_exc(file=file)
            sentence += f" (details: {path})"
        sys.exit(sentence)
