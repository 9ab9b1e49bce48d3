"""One run from its plan to its result file: processes, the wait for them, and what was counted."""

import json
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from fbftl.ground.errors import UserError
from fbftl.ground.files import read_json, replacing, write_json
from fbftl.study.config import Study

from fbftl_deploy import plans
from fbftl_deploy.accounts import Sizes, accounts
from fbftl_deploy.comparison import compared
from fbftl_deploy.federation import APP, Federation, Ports
from fbftl_deploy.planning import Order, Plans, modules_of, plan, rounds_of
from fbftl_deploy.plans import ARRIVED
from fbftl_deploy.proxy import Proxy
from fbftl_deploy.tls import make_keys

DEALER_AFTER_SUPERLINK = 1
"""The dealer's port, counted from the SuperLink's."""

LOOK_SECONDS = 0.5
LOOKS_AT_STATE = 60
"""Looks for the outcome between two questions to Flower, each of which starts a process."""

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
"""What colours a terminal."""

NO_PROTECTION = "no protection: masks and noise are the study's, which whoever knows its seed has"
DRAWN = "masks and noise are drawn from the system's generator"


@dataclass(frozen=True)
class Wire:
    """What a run goes over.

    first_port: of the loopback; the others follow it.
    tls: whether it is encrypted.
    idle: whether the nodes wait afterwards as long again, counted apart.
    app: folder that is given to `flwr run`.
    """

    first_port: int
    tls: bool = False
    idle: bool = False
    app: Path = APP


def only_plans(study: Study, order: Order, results: Path, folder: Path, port: int) -> list[Path]:
    """Write the plans of a run that somebody else starts; return the paths of the clients'.

    Args:
        study, order, results: as `deploy` has them.
        folder: a new one, for the plans and for what the server writes.
        port: of a dealer, if the setting has one.

    Raises:
        UserError: if the setting cannot be deployed, or the folder is there.
    """
    planned = plan(study, order, results, folder.resolve(), port)
    try:
        folder.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        raise UserError(f"{folder} is there already; name a new folder for the plans") from None
    return list(write_plans(planned, folder.resolve()).values())


def deploy(study: Study, order: Order, results: Path, wire: Wire) -> tuple[Path, dict[str, Any]]:
    """Run a setting; return the path of its result file and what is in it.

    Args:
        study: that has the setting.
        order: what is asked for.
        results: the study's folder of results.
        wire: what it goes over.

    Raises:
        UserError: if the setting cannot be deployed, a port is in use, or the run fails.
    """
    folder = Path(tempfile.mkdtemp(prefix="fbftl-deploy-"))
    try:
        planned = plan(study, order, results, folder, wire.first_port + DEALER_AFTER_SUPERLINK)
        document = _run(planned, folder, wire)
        target = results / order.task / "deployed" / order.setting
        target.mkdir(parents=True, exist_ok=True)
        document = _described(order, planned) | {"tls": wire.tls} | document
        document |= compared(planned, results, order, document, folder / "server.json")
        path = target / f"{order.seed}.json"
        keep_ledger(Path(planned.server.ledger), path.with_suffix(".parquet"), order.repeat)
        write_json(path, document)
        return path, document
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def keep_ledger(ledger: Path, target: Path, repeat: bool) -> None:
    """Write a run's ledger to its place, with what protected its messages as metadata.

    Args:
        ledger: as the server wrote it.
        target: file to write.
        repeat: whether masks and noise are the study's.
    """
    table = pq.read_table(ledger)
    protection = {b"protection": (NO_PROTECTION if repeat else DRAWN).encode()}
    metadata = dict(table.schema.metadata or {}) | protection
    with replacing(target) as temporary:
        pq.write_table(table.replace_schema_metadata(metadata), temporary)


def _run(planned: Plans, folder: Path, wire: Wire) -> dict[str, Any]:
    """Start all processes, wait for the run, and return what was counted."""
    clients = [client.client for client in planned.clients]
    ports = Ports.planned(wire.first_port, clients)
    ports.require_free()
    paths = write_plans(planned, folder)
    keys = make_keys(folder) if wire.tls else None
    started = time.monotonic()
    with ExitStack() as stack:
        exact = planned.server.setting.exact
        federation = stack.enter_context(Federation(folder, ports, exact, keys, wire.app))
        if planned.dealer is not None:
            federation.start_dealer(folder / "dealer.json")
        federation.start_superlink()
        proxy = stack.enter_context(Proxy(ports.proxies, ports.superlink, wire.tls))
        federation.start_fork_server(modules_of(planned.server.setting.job.setting.method))
        for client, path in paths.items():
            federation.start_node(client, path)
        handed_over = time.monotonic()
        number = federation.run(folder / "server.json")
        outcome = _outcome(federation, planned, number)
        seconds = time.monotonic() - handed_over
        flower = federation.state(number)
        counted = {client: (proxy.up[client], proxy.down[client]) for client in clients}
        document = {
            "seconds": seconds,
            "seconds_with_start": time.monotonic() - started,
            "wire": accounts(counted, _sizes(paths), wire.tls),
            "flower": flower.get("network-traffic", {}),
        }
        if wire.idle:
            before = {c: (up.total, down.total) for c, (up, down) in counted.items()}
            time.sleep(seconds)
            document["idle"] = {
                "seconds": seconds,
                "up": sum(up.total - before[c][0] for c, (up, _) in counted.items()),
                "down": sum(down.total - before[c][1] for c, (_, down) in counted.items()),
            }
    return outcome | document


def write_plans(planned: Plans, folder: Path) -> dict[int, Path]:
    """Write what each party is told; return the paths of the clients' plans."""
    paths = {client.client: folder / f"client-{client.client}.json" for client in planned.clients}
    for client in planned.clients:
        plans.write(paths[client.client], client)
    plans.write(folder / "server.json", planned.server)
    if planned.dealer is not None:
        plans.write(folder / "dealer.json", planned.dealer)
    return paths


def _outcome(federation: Federation, planned: Plans, number: str) -> dict[str, Any]:
    """Wait for the server's outcome and return it.

    Raises:
        UserError: with the sentence of a run that failed.
    """
    path = Path(planned.server.outcome)
    limit = longest_run(planned)
    end = time.monotonic() + limit
    looks = 0
    while not path.is_file():
        looks += 1
        superlink: subprocess.Popen | None = federation.superlink
        if superlink is not None and superlink.poll() is not None:
            raise UserError(
                f"the SuperLink has ended, {arrived(path)}: {_last(federation, 'superlink')}"
            )
        state = {} if looks % LOOKS_AT_STATE else federation.state(number)
        if "finished" in str(state.get("status", "")):
            time.sleep(LOOK_SECONDS)
            if path.is_file():
                break
            raise UserError(f"the run has ended, {arrived(path)}: {_last(federation, 'superlink')}")
        if time.monotonic() > end:
            raise UserError(
                f"the run takes longer than {limit:.0f} s, {arrived(path)}: "
                f"{_last(federation, 'superlink')}"
            )
        time.sleep(LOOK_SECONDS)
    document = read_json(path, "outcome of a run")
    if "error" in document:
        raise UserError(document["error"])
    return document


def longest_run(planned: Plans) -> float:
    """Return the seconds after which a run is given up: every request may take the patience.

    Beside the rounds, or the one request, clients are waited for, heads may be scored, and the
    server trains.
    """
    rounds = rounds_of(planned.server.setting.job, len(planned.clients))
    return planned.server.patience * (max(rounds, 2) + 2)


def arrived(outcome: Path) -> str:
    """Return what had arrived of a run that ends without an outcome, and what becomes of it."""
    noted = outcome.with_suffix(ARRIVED)
    lines = noted.read_text(encoding="utf-8").splitlines() if noted.is_file() else []
    answers = [json.loads(line) for line in lines]
    if not answers:
        return "before any answer arrived; call it again"
    size = sum(answer["bytes"] for answer in answers)
    last = max(answer["request_number"] for answer in answers)
    return (
        f"{len(answers)} answers of {size:,} bytes had arrived by request {last} and are not kept; "
        "call it again"
    )


def _last(federation: Federation, name: str) -> str:
    """Return the last line of a process's log, without colours."""
    log = federation.folder / "logs" / f"{name}.log"
    text = COLOURS.sub("", log.read_text(encoding="utf-8", errors="replace")[-2000:])
    return next((line for line in reversed(text.splitlines()) if line.strip()), "").strip()


def _sizes(paths: Mapping[int, Path]) -> Sizes:
    """Return what each client noted of its answers."""
    return {
        client: [
            json.loads(line)
            for line in path.with_suffix(".sizes").read_text(encoding="utf-8").splitlines()
        ]
        if path.with_suffix(".sizes").is_file()
        else []
        for client, path in paths.items()
    }


def _described(order: Order, planned: Plans) -> dict[str, Any]:
    """Return what a result file says of its run first."""
    return {
        "task": order.task,
        "setting": order.setting,
        "seed": order.seed,
        "clients": len(planned.clients),
        "from": planned.clients[0].source,
        "protection": NO_PROTECTION if order.repeat else DRAWN,
    }
