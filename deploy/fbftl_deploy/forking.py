"""A fork server: one process imports Flower and the library, and every process of a client is its
fork.

A client of Flower is three programs: a SuperNode, a SuperExec beside it, and a ClientApp for every
message. Importing Flower takes each of them over a second of a core, and torch another, which is
most of what a run of many clients costs. A fork begins with all of it imported and shares the
memory; what it reads of plans and data is its own. Flower finds its programs by their names, so
that in the fork server's folder these names ask for a fork (`write_programs`).

A request is one line of JSON with the file descriptor of a log; its answer is the number of the
new process. The socket lies in the run's folder, which nobody else may enter.
"""

import json
import os
import shlex
import signal
import socket
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn

PROGRAMS = {
    "flower-supernode": ("flwr.supernode.cli", "flower_supernode"),
    "flower-superexec": ("flwr.supercore.cli", "flower_superexec"),
    "flwr-clientapp": ("flwr.supernode.cli", "flwr_clientapp"),
}
"""Module and function of each of Flower's programs that is forked."""

LONGEST_REQUEST = 2**16
SERVE = "serve"
"""Word by which this module is started as a fork server."""

OWN_GROUP = 0
"""Group of processes of a fork that begins one."""


def serve(path: Path, modules: Sequence[str]) -> None:
    """Answer requests for forks until the process is ended.

    Args:
        path: of the socket.
        modules: imported beforehand, beside Flower's programs.
    """
    for module in (*(module for module, _ in PROGRAMS.values()), *modules):
        import_module(module)
    # Nobody waits for a fork: the kernel takes it away when it ends.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        listening.listen(64)
        while True:
            connection, _ = listening.accept()
            with connection:
                request, logs, *_ = socket.recv_fds(connection, LONGEST_REQUEST, 1)
                if not logs:  # a look whether somebody listens
                    continue
                process = os.fork()
                if process == 0:
                    listening.close()
                    _become(**json.loads(request), log=logs[0])
                connection.sendall(str(process).encode())
                os.close(logs[0])


def _become(command: list[str], group: int, log: int) -> NoReturn:
    """Run a program of Flower's in this process, whose output goes to a log."""
    os.setpgid(0, group)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for output in (1, 2):
        os.dup2(log, output)
    # The app is what Flower has installed, not the copy that this process began with.
    for module in [name for name in sys.modules if name.partition(".")[0] == "fbftl_deploy"]:
        del sys.modules[module]
    sys.argv = command
    module, function = PROGRAMS[command[0]]
    sys.exit(getattr(import_module(module), function)())


def forked(path: Path, command: Sequence[str], log: int, group: int = OWN_GROUP) -> int:
    """Ask for a fork; return the number of its process.

    Args:
        path: of the fork server's socket.
        command: a program of Flower's by its name, and its arguments.
        log: file descriptor that its output goes to.
        group: of processes that it joins.

    Raises:
        OSError: if the fork server does not answer.
    """
    request = json.dumps({"command": list(command), "group": group}).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        socket.send_fds(connection, [request], [log])
        return int(connection.recv(LONGEST_REQUEST) or b"0")


def write_programs(folder: Path, path: Path) -> None:
    """Write programs that have Flower's names and ask for a fork in their own group.

    Args:
        folder: a new one, first among those where programs are looked for.
        path: of the fork server's socket.
    """
    folder.mkdir(mode=0o700)
    words = [sys.executable, "-IS", str(Path(__file__)), str(path)]
    for name in PROGRAMS:
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec {shlex.join([*words, name])} "$@"\n', encoding="utf-8")
        program.chmod(0o700)


if __name__ == "__main__":
    path, name, *words = sys.argv[1:]
    if name == SERVE:
        serve(Path(path), words)
    else:
        # As one of the programs that `write_programs` wrote.
        forked(Path(path), [name, *words], sys.stdout.fileno(), os.getpgid(0))
