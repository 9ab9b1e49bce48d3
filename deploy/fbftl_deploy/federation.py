"""The processes of a run on this machine: a SuperLink, a SuperNode for each client, a dealer.

All of them listen on the loopback, at ports that are planned and looked at before one starts. Their
home is the run's folder; telemetry, Flower's look for a newer version and its installing of
packages are off.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.ground.exact import pin

from fbftl_deploy.forking import SERVE, forked, write_programs
from fbftl_deploy.tls import Keys

LOOPBACK = "127.0.0.1"
APP = Path(__file__).parents[1]
"""Folder that is given to `flwr run`."""

LIBRARY = APP.parent / "scripts"

QUIET = {
    "FLWR_TELEMETRY_ENABLED": "0",
    "FLWR_DISABLE_UPDATE_CHECK": "1",
    "FLWR_DISABLE_RUNTIME_DEPENDENCY_INSTALLATION": "1",
    "FLWR_SUPEREXEC_TASK_POLL_INTERVAL": "0.2",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
"""Environment of all processes of a run."""

STARTING_SECONDS = 120.0
LONGEST_SOCKET = 100
"""Characters that the path of a socket has at most."""

SLOWEST_STOP_SECONDS = 10.0


@dataclass(frozen=True)
class Ports:
    """Ports of the loopback that a run listens at.

    superlink, dealer: of these two.
    proxies, nodes: of each client: where its proxy listens, and where its node does for its app.
    """

    superlink: int
    dealer: int
    proxies: Mapping[int, int]
    nodes: Mapping[int, int]

    @classmethod
    def planned(cls, first: int, clients: Sequence[int]) -> "Ports":
        """Return consecutive ports from a first one on."""
        proxies = {client: first + 2 + 2 * place for place, client in enumerate(clients)}
        return cls(first, first + 1, proxies, {c: port + 1 for c, port in proxies.items()})

    def require_free(self) -> None:
        """Refuse ports of which one is in use.

        Raises:
            UserError: naming the first of them.
        """
        for port in (self.superlink, self.dealer, *self.proxies.values(), *self.nodes.values()):
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    probe.bind((LOOPBACK, port))
                except (OSError, OverflowError):
                    last = max(self.nodes.values(), default=self.dealer)
                    raise UserError(
                        f"port {port} of {LOOPBACK} is in use; the run needs "
                        f"{self.superlink} to {last}: name another first one with --port"
                    ) from None


@dataclass
class Federation:
    """The processes of a run.

    folder: of the run: plans, logs, keys, Flower's home.
    ports: where they listen.
    exact: whether their arithmetic is pinned.
    keys: of TLS; None for plain HTTP.
    app: folder that is given to `flwr run`.
    """

    folder: Path
    ports: Ports
    exact: bool
    keys: Keys | None = None
    app: Path = APP
    superlink: subprocess.Popen | None = None
    nodes: dict[int, int] = field(default_factory=dict)
    """Process of each client's SuperNode, which its group is named after."""

    _processes: list[subprocess.Popen] = field(default_factory=list)

    def __enter__(self) -> "Federation":
        self._home().mkdir(mode=0o700)
        (self.folder / "logs").mkdir()
        address = f'address = "{LOOPBACK}:{self.ports.superlink}"\n'
        secured = "insecure = true\n"
        if self.keys is not None:
            secured = f'root-certificates = "{self.keys.authority}"\n'
        config = f'[superlink]\ndefault = "here"\n\n[superlink.here]\n{address}{secured}'
        (self._home() / "config.toml").write_text(config, encoding="utf-8")
        return self

    def __exit__(self, *failure: Any) -> None:
        end(self._processes, list(self.nodes.values()))

    def start_superlink(self) -> None:
        """Start the SuperLink and wait until it listens."""
        secured = ["--insecure"]
        if self.keys is not None:
            keys = self.keys
            secured = ["--ssl-ca-certfile", str(keys.authority), "--ssl-certfile"]
            secured += [str(keys.certificate), "--ssl-keyfile", str(keys.key)]
        address = ["--host", LOOPBACK, "--port", str(self.ports.superlink)]
        database = ["--database", str(self.folder / "superlink.db")]
        command = ["flower-superlink", *secured, *address, *database]
        self.superlink = self.start("superlink", command)
        self._await(self.ports.superlink, self.superlink, "superlink")

    def start_fork_server(self, modules: Sequence[str]) -> None:
        """Start what the processes of clients are forks of, and wait until it is ready.

        Args:
            modules: that clients import, beside Flower's.

        Raises:
            UserError: if it does not start, or its socket would have too long a path.
        """
        if len(str(self._forks())) > LONGEST_SOCKET:
            raise UserError(f"{self.folder} is too long a path for a socket; set TMPDIR to another")
        write_programs(self.folder / "programs", self._forks())
        program = [sys.executable, "-m", "fbftl_deploy.forking", str(self._forks()), SERVE]
        process = self.start("clients", [*program, *modules])
        self._await(str(self._forks()), process, "clients")

    def start_node(self, client: int, plan: Path) -> None:
        """Start the SuperNode of a client, which reaches the SuperLink through its proxy."""
        secured = ["--insecure"]
        if self.keys is not None:
            secured = ["--root-certificates", str(self.keys.authority)]
        superlink = f"{LOOPBACK}:{self.ports.proxies[client]}"
        here = ["--host", LOOPBACK, "--port", str(self.ports.nodes[client])]
        words = ["--superlink", superlink, "--node-config", f'plan="{plan}"']
        command = ["flower-supernode", *secured, *here, *words]
        with (self.folder / "logs" / f"client-{client}.log").open("ab") as log:
            self.nodes[client] = forked(self._forks(), command, log.fileno())

    def start_dealer(self, plan: Path) -> None:
        """Start the dealer and wait until it listens."""
        command = [sys.executable, "-m", "fbftl_deploy.dealer", str(plan)]
        dealer = self.start("dealer", command)
        self._await(self.ports.dealer, dealer, "dealer")

    def run(self, plan: Path) -> str:
        """Hand the app to the SuperLink; return the number of the run.

        Raises:
            UserError: if it is not taken.
        """
        reported = self.call("run", str(self.app), "here", "--run-config", f'plan="{plan}"')
        if not reported.get("success"):
            reason = " ".join(str(reported.get("error-message", reported)).split())
            raise UserError(f"Flower does not take the app: {reason}")
        return str(reported["run-id"])

    def state(self, run: str) -> dict[str, Any]:
        """Return what Flower says of a run, its status and its bytes; nothing if it is silent."""
        with suppress(UserError, KeyError, ValueError):
            (described,) = self.call("list", "here", "--run-id", run)["runs"]
            return described
        return {}

    def call(self, verb: str, *words: str) -> dict[str, Any]:
        """Return what `flwr` answers in JSON.

        Raises:
            UserError: if it fails, or takes too long.
        """
        command = [self._binary("flwr"), verb, *words, "--format", "json"]
        try:
            done = subprocess.run(
                command, env=self._environment(), cwd=self.folder, capture_output=True, text=True,
                timeout=STARTING_SECONDS, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise UserError(f"flwr {verb} does not end within {STARTING_SECONDS:g} s") from None
        try:
            return json.loads(done.stdout)
        except ValueError:
            last = " ".join((done.stderr or done.stdout)[-300:].split())
            raise UserError(f"flwr {verb} fails: {last}") from None

    def start(self, name: str, command: list[str]) -> subprocess.Popen:
        """Start a process whose output is the log of its name, and end it with the federation."""
        binary = command[0] if os.sep in command[0] else self._binary(command[0])
        with (self.folder / "logs" / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                [binary, *command[1:]], env=self._environment(), cwd=self.folder, stdout=log,
                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        self._processes.append(process)
        return process

    def _await(self, address: int | str, process: subprocess.Popen, name: str) -> None:
        """Wait until a process listens at a port of the loopback, or at the path of a socket.

        Raises:
            UserError: if it ends, or takes too long.
        """
        until = time.monotonic() + STARTING_SECONDS
        while time.monotonic() < until and process.poll() is None:
            if listens(address):
                return
            time.sleep(0.1)
        log = self.folder / "logs" / f"{name}.log"
        last = " ".join(log.read_text(encoding="utf-8", errors="replace")[-300:].split())
        raise UserError(f"the process {name} does not listen at {address}: {last}")

    def _home(self) -> Path:
        return self.folder / "flower"

    def _forks(self) -> Path:
        return self.folder / "forks"

    def _binary(self, name: str) -> str:
        return str(Path(sys.executable).with_name(name))

    def _environment(self) -> dict[str, str]:
        """Return the environment of the processes.

        Programs of clients are found in the fork server's folder first.
        """
        folders = [str(self.folder / "programs"), str(Path(sys.executable).parent)]
        variables = environment(self.exact)
        variables["FLWR_HOME"] = str(self._home())
        variables["PATH"] = os.pathsep.join([*folders, variables.get("PATH", "")])
        return variables


def environment(exact: bool) -> dict[str, str]:
    """Return the environment of a process that computes; it finds the app and the library.

    Args:
        exact: whether its arithmetic is pinned.
    """
    variables = dict(os.environ) | QUIET
    pin(variables, exact)
    variables["PYTHONPATH"] = os.pathsep.join([str(LIBRARY), str(APP)])
    return variables


def listens(address: int | str) -> bool:
    """Return whether somebody listens at a port of the loopback, or at the path of a socket."""
    family = socket.AF_INET if isinstance(address, int) else socket.AF_UNIX
    with socket.socket(family) as probe:
        probe.settimeout(1)
        return probe.connect_ex((LOOPBACK, address) if isinstance(address, int) else address) == 0


def end(processes: Sequence[subprocess.Popen], groups: Sequence[int] = ()) -> None:
    """End processes and all that they started: asked first, then made to.

    Args:
        processes: that this process started, each the first of its group.
        groups: of further processes.
    """
    everyone = [*(process.pid for process in processes), *groups]
    for number in (signal.SIGTERM, signal.SIGKILL):
        for group in everyone:
            with suppress(ProcessLookupError):
                os.killpg(group, number)
        until = time.monotonic() + SLOWEST_STOP_SECONDS
        for process in processes:
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, until - time.monotonic()))
        while time.monotonic() < until and any(map(_is_there, groups)):
            time.sleep(0.1)


def _is_there(group: int) -> bool:
    with suppress(ProcessLookupError):
        os.killpg(group, 0)
        return True
    return False
