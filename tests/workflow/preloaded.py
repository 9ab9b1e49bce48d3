"""An interpreter whose programs are forks of one process that has imported the libraries.

Importing torch, pandas and their like is nine tenths of what a job of a toy study computes. A call
through `interpreter` pays for it once a test process. A program finds what it finds in a process of
its own: environment, folder, arguments, streams, exit status, and none of the project's modules.
Only the seed of hashes is shared: what a call of Python itself has made, as `reference` is, shows
beside it that no order of a set decides anything.
"""

import atexit
import gc
import importlib
import json
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from preloaded_client import LIBRARY, SIZE, THREADS, decides

LIBRARIES = (
    "h5py",
    "pandas",
    "pyarrow.parquet",
    "pydantic",
    "scipy.stats",
    "seaborn",
    "sklearn.datasets",
    "snakemake.cli",
    "torch",
    "torch._dynamo",
    "zarr",
)
"""What is imported before any program."""


@cache
def interpreter() -> str:
    """Return the path of an interpreter; the process behind it ends with this one."""
    folder = Path(tempfile.mkdtemp(prefix="preloaded-"))
    python, address = folder / "python", folder / "socket"
    environment = os.environ | dict.fromkeys(THREADS, "1")
    environment.pop("PYTHONPATH", None)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(address))
        # Programs that come before all is imported wait in the queue.
        listener.listen(64)
        number = listener.fileno()
        server = subprocess.Popen(
            [sys.executable, __file__, str(number)],
            stdin=subprocess.PIPE,
            env=environment,
            pass_fds=[number],
        )
    python.write_text(
        f"#!{sys.executable} -IS\n"
        "import sys\n"
        f"sys.path.append({str(Path(__file__).parent)!r})\n"
        "import preloaded_client\n"
        f"preloaded_client.main({str(address)!r}, {sys.executable!r}, {decides(environment)!r})\n"
    )
    python.chmod(0o755)
    atexit.register(end, server, folder)
    return str(python)


def end(server: subprocess.Popen[bytes], folder: Path) -> None:
    """End a server, which waits for the end of its standard input."""
    server.communicate()
    shutil.rmtree(folder)


def serve(listener: socket.socket) -> None:
    """Fork a process for every program that is handed in, until standard input ends."""
    for name in LIBRARIES:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
        client, _ = listener.accept()
        with client:
            if os.fork() == 0:
                listener.close()
                answer(client)


def answer(client: socket.socket) -> None:
    """Run the program that a client hands in, in a further fork; tell it the exit status."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size, streams, _, _ = socket.recv_fds(client, SIZE, 3)
    with client.makefile("rb") as message:
        program = json.loads(message.read(int.from_bytes(size)))
    if (process := os.fork()) == 0:
        client.close()
        become(program, streams)
    for stream in streams:
        os.close(stream)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    client.sendall(bytes([status if status >= 0 else 128 - status]))
    os._exit(0)


def become(program: Mapping[str, Any], streams: Sequence[int]) -> NoReturn:
    """Be a program, with standard streams from elsewhere."""
    for stream, here in zip(streams, range(3), strict=True):
        os.dup2(stream, here)
        os.close(stream)
    os.chdir(program["folder"])
    os.environ.clear()
    os.environ.update(program["environment"])
    sys.executable = program["interpreter"]
    if os.environ.get("PYTHONPATH") == LIBRARY:
        sys.path.insert(1, str(Path(LIBRARY).absolute()))
    status = run(program["arguments"])
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def run(arguments: list[str]) -> int:
    """Run a script or a module as Python would; return its exit status."""
    try:
        if arguments[0] == "-m":
            sys.argv = arguments[1:]
            sys.path[0] = ""
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = arguments
            sys.path[0] = str(Path(arguments[0]).resolve().parent)
            runpy.run_path(arguments[0], run_name="__main__")
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return (end.code or 0) & 255
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
