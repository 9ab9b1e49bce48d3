"""Snakemake's log in a file instead of on the screen: what `./run` calls Snakemake with.

    PYTHONPATH=workflow/plugins snakemake --logger file --logger-file-path run.log

Found by its name (https://github.com/snakemake/snakemake-interface-logger-plugins). Errors that are
of no job go to the screen too. What Snakemake calls its working directory is where it was called;
where the workflow changes into a folder of the study's, a line names this one.
"""

import logging
import os
import sys
from dataclasses import dataclass, field

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

OF_JOBS = (LogEvent.JOB_ERROR, LogEvent.GROUP_ERROR)


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    """The plugin's options."""

    path: str = field(default="run.log", metadata={"help": "The file."})


class LogHandler(LogHandlerBase):
    """Appends every record, in Snakemake's own words, to a file."""

    writes_to_stream = True  # In the place of Snakemake's own handler of the screen.
    writes_to_file = False
    has_filter = False
    has_formatter = False
    needs_rulegraph = False

    def __post_init__(self) -> None:
        """Open the file anew, before a study of another folder changes into it."""
        self.file = open(self.settings.path, "w", encoding="utf-8")  # noqa: SIM115
        self.folder = os.getcwd()

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        text = self.format(record)
        if not text or text == "None":
            return
        if (folder := os.getcwd()) != self.folder:
            self.folder = folder
            self.file.write(f"The study runs in {folder}\n")
        self.file.write(f"{text}\n")
        self.file.flush()
        if record.levelno >= logging.ERROR and getattr(record, "event", None) not in OF_JOBS:
            sys.stderr.write(f"{text}\n")

    def close(self) -> None:
        """Close the file."""
        self.file.close()
        super().close()
