"""What ends the processes of a run and removes its folder when the call is over, however it ends.

    python keeping.py FOLDER

The call holds the other end of this process's standard input, which the system closes with it, and
starts every process of the run in this one's group.
"""

import os
import shutil
import signal
import sys


def keep(folder: str) -> None:
    """Wait for the end of the call; then kill the group and remove the folder."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    sys.stdin.buffer.read()
    group = os.getpgrp()
    if os.fork() == 0:
        os.setsid()  # out of the group, so that somebody is left to tidy up
        os.killpg(group, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    keep(sys.argv[1])
