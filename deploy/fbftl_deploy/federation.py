"""The processes of a run on this machine: a SuperLink and a SuperNode for each client.

All of them listen on the loopback. Their home is the run's folder; telemetry, Flower's look for a
newer version and its installing of packages are off. A keeper ends them with the call, even if that
is killed (`keeping.py`).
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.ground.exact import pin

from fbftl_deploy import keeping

LOOPBACK = "127.0.0.1"
APP = Path(__file__).parents[1]
"""Folder that is given to `flwr run`."""

LIBRARY = APP.parent / "scripts"

QUIET = {
    "FLWR_TELEMETRY_ENABLED": "0",
    "FLWR_DISABLE_UPDATE_CHECK": "1",
    "FLWR_DISABLE_RUNTIME_DEPENDENCY_INSTALLATION": "1",
    "FLWR_SUPEREXEC_TASK_POLL_INTERVAL": "0.2",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
"""Environment of all processes of a run."""

STARTING_SECONDS = 120.0

ANSI_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Federation:
    """The processes of a run, from its entry to its exit.

    `folder` is the run's: plans, logs, Flower's home.

    Args:
        clients: how many there are.
        exact: whether arithmetic is pinned.
    """

    def __init__(self, clients: int, exact: bool) -> None:
        self.exact = exact
        self.folder = Path(tempfile.mkdtemp(prefix="fbftl-deploy-"))
        self._keeper = subprocess.Popen(
            [sys.executable, keeping.__file__, str(self.folder)],
            process_group=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self._processes: list[subprocess.Popen] = []
        self.port, *self._node_ports = free_ports(1 + clients)
        self.address = f"{LOOPBACK}:{self.port}"

    def __enter__(self) -> "Federation":
        (self.folder / "config.toml").write_text(
            '[superlink]\ndefault = "here"\n\n[superlink.here]\n'
            f'address = "{self.address}"\ninsecure = true\n',
            encoding="utf-8",
        )
        here = ["--insecure", "--host", LOOPBACK, "--port", str(self.port)]
        # Its own SuperExec would leave the keeper's group.
        self.superlink = self.start("server", "flower-superlink", *here, "--isolation", "process")
        self._await_superlink()
        executor = ["--insecure", "--runtime-api-address", self.address]
        self.start("server", "flower-superexec", *executor)
        return self

    def __exit__(self, *failure: Any) -> None:
        # The keeper's output ends when the folder is gone.
        self._keeper.communicate()
        for process in self._processes:
            process.wait()

    def start_node(self, client: int, plan: Path) -> None:
        """Start the SuperNode of a client."""
        here = ["--insecure", "--host", LOOPBACK, "--port", str(self._node_ports.pop())]
        words = ["--superlink", self.address, "--node-config", f'plan="{plan}"']
        self.start(f"client-{client}", "flower-supernode", *here, *words)

    def run(self, plan: Path) -> str:
        """Hand the app to the SuperLink; return the number of the run.

        Raises:
            UserError: if it is not taken.
        """
        return self._call("run", str(APP), "here", "--run-config", f'plan="{plan}"')["run-id"]

    def state(self, run: str) -> dict[str, Any]:
        """Return what Flower says of a run, its status and its bytes.

        Raises:
            UserError: if it does not know the run.
        """
        return self._call("list", "here", "--run-id", run)["runs"][0]

    def last_line(self) -> str:
        """Return the last line of the SuperLink's and the server's log."""
        text = (self.folder / "server.log").read_text(encoding="utf-8", errors="replace")
        return ANSI_COLOUR.sub("", text).strip().rpartition("\n")[2].strip()

    def start(self, log: str, program: str, *words: str) -> subprocess.Popen:
        """Start a program of Flower's whose output is the log of a name."""
        with (self.folder / f"{log}.log").open("ab") as output:
            process = subprocess.Popen(
                [_program(program), *words], env=self._environment(), cwd=self.folder,
                stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                process_group=self._keeper.pid,
            )  # fmt: skip
        self._processes.append(process)
        return process

    def _call(self, verb: str, *words: str) -> dict[str, Any]:
        """Return what `flwr` answers in JSON.

        Raises:
            UserError: if it fails or says that it does, or takes too long.
        """
        try:
            done = subprocess.run(
                [_program("flwr"), verb, *words, "--format", "json"], env=self._environment(),
                cwd=self.folder, capture_output=True, text=True, timeout=STARTING_SECONDS,
                check=False, process_group=self._keeper.pid,
            )  # fmt: skip
            reported = json.loads(done.stdout)
        except subprocess.TimeoutExpired:
            raise UserError(f"flwr {verb} does not end within {STARTING_SECONDS:g} s") from None
        except ValueError:
            reported = {"error-message": (done.stderr or done.stdout)[-300:]}
        if "error-message" in reported:
            raise UserError(f"flwr {verb} fails: {' '.join(reported['error-message'].split())}")
        return reported

    def _await_superlink(self) -> None:
        """Wait until the SuperLink listens.

        Raises:
            UserError: if it ends, or takes too long.
        """
        until = time.monotonic() + STARTING_SECONDS
        while time.monotonic() < until and self.superlink.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex((LOOPBACK, self.port)) == 0:
                    return
            time.sleep(0.1)
        raise UserError(f"the SuperLink does not listen at {self.port}: {self.last_line()}")

    def _environment(self) -> dict[str, str]:
        """Return the environment of the processes; they find the app, the library and Flower."""
        variables = dict(os.environ) | QUIET
        pin(variables, self.exact)
        variables["PYTHONPATH"] = os.pathsep.join([str(LIBRARY), str(APP)])
        variables["PATH"] = os.pathsep.join([str(_program("")), variables.get("PATH", "")])
        return variables | {"FLWR_HOME": str(self.folder), "TMPDIR": str(self.folder)}


def free_ports(count: int) -> list[int]:
    """Return ports of the loopback at which nobody listens."""
    with ExitStack() as stack:
        sockets = [socket.create_server((LOOPBACK, 0)) for _ in range(count)]
        return [stack.enter_context(one).getsockname()[1] for one in sockets]


def _program(name: str) -> Path:
    """Return the path of a program of Flower's environment."""
    return Path(sys.executable).parent / name
