"""How far a call of the workflow is: jobs done of all in one line."""

import time
from typing import TextIO

STEPS = 10
"""Lines that a run leaves where none can be written over."""


MISSING: dict[str, int] = {}
"""Runs that a call of the workflow has to make, by the folder of their store."""


class JobsDone:
    """Jobs done of all in one line, with the time so far.

    done, planned: jobs.
    """

    def __init__(self, stream: TextIO) -> None:
        self.done = self.planned = 0
        self._stream, self._overwrites = stream, stream.isatty()
        self._start, self._shown, self._step = time.monotonic(), "", 0

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._start

    def show(self, runs: int = 0, missing: int = 0) -> None:
        """Write how far the call is: over the last line on a terminal, else for each tenth.

        Args:
            runs, missing: runs of the jobs that the store has by now, and all of them.
        """
        done, planned = self.done, self.planned
        line = f"{done:,} of {planned:,} jobs done, {spoken(self.elapsed)}"
        if missing:
            line = f"{runs:,} of {missing:,} runs, {line}"
        if self._overwrites:
            self._stream.write(f"\r{line:<{len(self._shown)}}")
            self._shown = line
        elif planned and (step := STEPS * (done + runs) // (planned + missing)) > self._step:
            self._step = step
            self._stream.write(f"{line}\n")
        self._stream.flush()

    def say(self, line: str) -> None:
        """Write a line that stays, in the place of the line of progress."""
        self.clear()
        self._stream.write(f"{line}\n")
        self._stream.flush()

    def clear(self) -> None:
        """Take the line of progress away."""
        if self._shown:
            self._stream.write(f"\r{'':<{len(self._shown)}}\r")
            self._shown = ""


def spoken(seconds: float) -> str:
    """Return a time in hours, minutes and seconds, the larger two of them."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return (
        f"{hours} h {minutes} min"
        if hours
        else f"{minutes} min {rest} s"
        if minutes
        else f"{rest} s"
    )
