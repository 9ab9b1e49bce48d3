"""Jobs done of all in a line on the screen, Snakemake's log in a file: what `./run` calls it with.

    PYTHONPATH=scripts:workflow/plugins snakemake --logger progress

Found by its name (https://github.com/snakemake/snakemake-interface-logger-plugins). Snakemake's log
and what jobs print go to files below .snakemake/log.
"""

import logging
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fbftl.ground.files import writing
from fbftl.ground.progress import MISSING, JobsDone
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

LOGS = Path(".snakemake", "log")
"""Where logs of calls lie, in the folder of the call; their names begin with the time."""

POLL_S = 0.25


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    """The plugin has no options."""


class LogHandler(LogHandlerBase):
    """Appends every record to a file, in Snakemake's own words, and shows how far the call is.

    latest: the one of this process.
    failed: the records of jobs that failed, by number, the latest failure of each.
    errors: what Snakemake says of others.
    messages: what the jobs that have started do, by number.
    folder: where the study runs, which may be a folder of its own.
    """

    writes_to_stream = True  # In the place of Snakemake's own handler of the screen.
    writes_to_file = has_filter = has_formatter = needs_rulegraph = False
    latest: "LogHandler"

    def __post_init__(self) -> None:
        """Open the files, before a study of another folder changes into it."""
        with writing(LOGS):
            LOGS.mkdir(parents=True, exist_ok=True)
        start = time.strftime("%Y-%m-%dT%H%M%S")
        self.path, self.folder = LOGS / f"{start}.run.log", os.getcwd()
        self.file = open(self.path, "w", encoding="utf-8")  # noqa: SIM115
        self.printed = open(LOGS / f"{start}.jobs.log", "wb")  # noqa: SIM115
        self.screen = JobsDone(os.fdopen(os.dup(2), "w"))
        self.screen.say(f"Planning the study; its log is {self.path}")
        self.messages: dict[int, str | None] = {}
        self.failed: dict[int, Any] = {}
        self.errors: list[str] = []
        self._before, self._ended = 0, threading.Event()
        self._watching = threading.Thread(target=self._watch, daemon=True)
        LogHandler.latest = self

    def emit(self, record: Any) -> None:
        """Write a record, and note what it tells of jobs."""
        text = self.format(record)
        self.folder = os.getcwd()
        if text and text != "None":
            self.file.write(f"{text}\n")
            self.file.flush()
        match getattr(record, "event", None):
            case LogEvent.RUN_INFO if not self._watching.is_alive():
                self._begin(record.stats["total"])
            case LogEvent.JOB_INFO:
                self.messages[record.jobid] = record.rule_msg
            case LogEvent.PROGRESS:
                self.screen.done = record.done
            case LogEvent.JOB_ERROR:
                self.failed[record.jobid] = record
            case LogEvent.GROUP_ERROR:
                pass
            case _ if text and record.levelno >= logging.ERROR:
                self.errors.append(text)

    def _begin(self, jobs: int) -> None:
        """Begin to show how far the call is; what jobs print goes to its file."""
        self.screen.planned, self._before = jobs, _runs_there()
        for stream in (1, 2):
            os.dup2(self.printed.fileno(), stream)
        self._watching.start()

    def _watch(self) -> None:
        while not self._ended.wait(POLL_S):
            self._show()

    def _show(self) -> None:
        runs = _runs_there() - self._before
        self.screen.show(runs, sum(MISSING.values()))

    def close(self) -> None:
        """Show how far the call came, and close the files."""
        if not self._ended.is_set():
            self._ended.set()
            if self._watching.is_alive():
                self._watching.join()
                self._show()
            self.screen.clear()
            self.file.close()
        super().close()


def _runs_there() -> int:
    """Return how many runs the stores have in which some were missing."""
    return sum(path.suffix == ".json" for store in MISSING for path in Path(store).glob("runs/*"))
