"""Flower's own environment, where `./run deploy` has made it, and free ports for its processes."""

import os
import socket
from pathlib import Path

import pytest

PYTHON = Path(".venv-deploy", "bin", "python")
PORTS = 12


def interpreter(root: Path) -> Path:
    """Return the interpreter that `./run deploy` has made; without it the test is skipped."""
    if not (root / PYTHON).is_file():
        pytest.skip("there is no .venv-deploy; ./run deploy makes it")
    return root / PYTHON


def found_by(root: Path) -> dict[str, str]:
    """Return the environment of a process that finds the library and `deploy/`."""
    return os.environ | {"PYTHONPATH": f"{root / 'scripts'}:{root / 'deploy'}"}


def free_ports() -> int:
    """Return the first of some ports that are free together."""
    for first in range(43000, 60000, PORTS):
        try:
            for taken in map(listening, range(first, first + PORTS)):
                taken.close()
        except OSError:
            continue
        return first
    raise AssertionError("no ports are free")


def listening(port: int) -> socket.socket:
    """Return a socket that listens at a port of the loopback."""
    return socket.create_server(("127.0.0.1", port))
