"""No process and no file of a run outlives its call, and no run its results."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fbftl_deploy.running import new_folder

CALL = """
import signal
import time
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
from fbftl_deploy.federation import Federation

federation = Federation(2, exact=False)
(federation.folder / "client-0.json").write_text("rows")
federation.start("node", "/bin/sh", "-c", "sleep 99; true")
print(federation.folder, federation._keeper.pid, flush=True)
{end}
"""
"""A call whose only process starts another, as a SuperNode does its ClientApps.

A parent that runs in the background may have had signals ignored, which children inherit.
"""


def called(root: Path, end: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CALL.format(end=end)],
        env=os.environ | {"PYTHONPATH": f"{root / 'scripts'}:{root / 'deploy'}"},
        stdout=subprocess.PIPE,
        text=True,
    )


def awaited(happened: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.02)


def living(group: int) -> list[str]:
    """Return the processes of a group that have not ended."""
    listed = subprocess.run(["ps", "-eo", "pgid=,stat="], capture_output=True, text=True).stdout
    lines = (line.split() for line in listed.splitlines())
    return [number for number, state in lines if int(number) == group and state[0] != "Z"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_a_call_that_is_ended_leaves_no_process_and_no_file(root, number):
    call = called(root, "time.sleep(99)")
    assert call.stdout is not None
    folder, group = call.stdout.readline().split()
    awaited(lambda: len(living(int(group))) == 3)
    call.send_signal(number)
    call.wait(10)
    awaited(lambda: not living(int(group)) and not Path(folder).exists())


def test_a_call_that_ends_by_itself_leaves_nothing_either(root):
    call = called(root, "federation.__exit__()")
    printed, _ = call.communicate(timeout=30)
    folder, group = printed.split()
    assert not Path(folder).exists()
    awaited(lambda: not living(int(group)))


def test_calls_at_once_have_a_folder_each(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        folders = list(pool.map(new_folder, [tmp_path / "fbftl"] * 100))
    assert sorted(int(folder.name) for folder in folders) == list(range(1, 101))
