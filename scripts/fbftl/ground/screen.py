"""One line that says how far a run is: overwritten on a terminal, in a file one for each tenth."""

import shutil
import textwrap
from typing import TextIO

from fbftl.ground.pace import Pace, spoken

BAR = 20
"""Characters of the bar."""

WIDTH = 79
"""Characters of a line that stays, but for a path that is longer."""

STEPS = 10
"""Lines that a run leaves where none can be written over."""


class Screen:
    """Where a run tells how far it is: plain characters, no colour, no wider than the terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._overwrites = stream.isatty()
        self._shown = ""
        self._step = 0

    def say(self, text: str) -> None:
        """Write lines that stay, above the line of progress."""
        shown = self._shown
        self.clear()
        for line in text.splitlines():
            self._stream.write(f"{wrapped(line)}\n")
        self._write(shown)

    def show(self, pace: Pace, job: str) -> None:
        """Write how far a run is.

        Args:
            pace: of the run.
            job: what the job at work does; empty between jobs.
        """
        if self._overwrites:
            width = shutil.get_terminal_size().columns - 1
            self._write(progress_line(pace, job, width))
        elif (step := int(pace.share * STEPS)) > self._step:
            self._step = step
            self._stream.write(f"{pace.sentence}\n")
            self._stream.flush()

    def clear(self) -> None:
        """Take the line of progress away."""
        if self._shown:
            self._stream.write(f"\r{' ' * len(self._shown)}\r")
            self._stream.flush()
        self._shown = ""

    def _write(self, line: str) -> None:
        if line != self._shown:
            self._stream.write(f"\r{line}{' ' * (len(self._shown) - len(line))}")
            self._shown = line
        self._stream.flush()


def wrapped(line: str) -> str:
    """Return a line that breaks between words before it is wider than a page of text."""
    return textwrap.fill(line, WIDTH, break_long_words=False, break_on_hyphens=False)


def progress_line(pace: Pace, job: str, width: int) -> str:
    """Return bar, jobs, time left and the job at work in at most `width` characters."""
    filled = int(pace.share * BAR)
    line = f"[{'#' * filled}{'.' * (BAR - filled)}] {pace.jobs:,} of {pace.planned:,} jobs"
    if pace.jobs < pace.planned and pace.left is not None:
        line += f", {spoken(pace.left)} left"
    line = f"{line}: {job}" if job else line
    return line if len(line) <= width else line[: max(width - 3, 0)] + "..."
