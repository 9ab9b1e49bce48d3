"""Hands a program to the process that has imported the libraries, and waits for its end.

It is started for every job of every test, so that it imports as little as it can.
"""

import json
import os
import socket
import sys
from collections.abc import Mapping

READ = (
    "ATEN", "LD_", "MKL_", "MPL", "NPY_", "OMP_", "ONEDNN", "OPENBLAS", "PYTHON", "SLURM",
)  # fmt: skip
"""Beginnings of names of variables that a library reads as it is imported, or a cluster sets."""

THREADS = ("MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")

LIBRARY = "scripts"
"""The search path of a program that imports the project's library; a fork has it too."""

SIZE = 8
"""Bytes that say how long a message is."""


def decides(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what of an environment has to be as the server's; one thread where it does not say."""
    read = {name: value for name, value in environment.items() if name.startswith(READ)}
    if read.get("PYTHONPATH") == LIBRARY:
        del read["PYTHONPATH"]
    return dict.fromkeys(THREADS, "1") | read


def main(address: str, python: str, decided: Mapping[str, str]) -> None:
    """Run `script.py ...` or `-m module ...` in a fork of the server; anything else in Python."""
    arguments = sys.argv[1:]
    known = arguments and (arguments[0] == "-m" or arguments[0].endswith(".py"))
    if not known or decides(os.environ) != decided:
        os.execv(python, [python, *arguments])
    program = {
        "interpreter": sys.argv[0],
        "arguments": arguments,
        "folder": os.getcwd(),
        "environment": dict(os.environ),
    }
    message = json.dumps(program).encode()
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(address)
        socket.send_fds(server, [len(message).to_bytes(SIZE)], [0, 1, 2])
        server.sendall(message)
        status = server.recv(1)
    # Without an answer the server was killed.
    os._exit(status[0] if status else 128 + 9)
