"""One writer per store: an advisory lock that the system releases when its holder dies."""

import fcntl
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from fbftl.ground.errors import UserError
from fbftl.ground.files import writing

LOCK = "lock"
"""The file in the locked folder."""

_POLL_S = 0.2


@contextmanager
def exclusive(folder: Path, *, wait_s: float = 0.0) -> Iterator[None]:
    """Hold the only right to write in `folder`.

    Args:
        folder: made if it is not there; whoever holds the right may delete it.
        wait_s: seconds to wait for another holder before giving up.

    Raises:
        UserError: naming the process and the machine that hold the right; if the disk is full.
    """
    path = folder / LOCK
    deadline = time.monotonic() + wait_s
    while (file := _try_lock(path)) is None:
        if time.monotonic() >= deadline:
            raise UserError(
                f"{folder} is being written by {_holder(path)}: wait until it has finished, "
                "or stop it and run again."
            )
        time.sleep(_POLL_S)
    with file:
        with writing(path):
            file.truncate(0)
            file.write(f"process {os.getpid()} on {socket.gethostname()}")
            file.flush()
        yield


def _try_lock(path: Path) -> TextIO | None:
    """Return the locked, open file, or None if another process holds it."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = open(path, "a+", encoding="utf-8")  # noqa: SIM115 - the lock lives as long as it
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The last holder may have deleted the folder between our open and our lock.
        if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
            return file
    except (BlockingIOError, FileNotFoundError):
        pass
    file.close()
    return None


def _holder(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8") or "another process"
    except FileNotFoundError:
        return "another process"
