"""One run from its order to its results: processes, the wait for the outcome, and the ledger."""

import shutil
import time
from contextlib import suppress
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any

from fbftl.exchange.arrivals import LEDGER, OUTCOME, write_plan
from fbftl.ground.errors import UserError
from fbftl.ground.exact import is_pinned, this_machine
from fbftl.ground.files import read_json, write_json
from fbftl.plan.opened import Prepared
from fbftl.study.job import Job
from pyarrow.csv import write_csv

from fbftl_deploy.comparison import equal_to_study, wire_table
from fbftl_deploy.federation import Federation
from fbftl_deploy.planning import Order, Plans, plan

LOOK_SECONDS = 0.5
LOOKS_AT_STATE = 40
"""Looks for the outcome between two questions to Flower, each of which starts a process."""

PLAIN = "none: the server reads what every client sends"
REPEATED = "none: noise is the study's, which whoever knows its seed takes off"
DRAWN = "noise on uploads, drawn by every client from the system's generator"


def deploy(prepared: Prepared, order: Order, results: Path) -> tuple[Path, dict[str, Any]]:
    """Run a setting; return the new folder of its results and what `run.json` there says.

    Args:
        prepared: study that has the setting.
        order: what is asked for.
        results: the folder of results.

    Raises:
        UserError: if the setting cannot be deployed, or the run fails.
    """
    planned = plan(prepared, order)
    exact = is_pinned(prepared.call.study.config["exact"], "cpu", this_machine())
    with Federation(len(planned.clients), exact) as federation:
        outcome = _outcome(federation, planned)
        target = new_folder(results / order.task / "deployed" / order.setting)
        shutil.copy(federation.folder / LEDGER, target / LEDGER)
    wire = wire_table(outcome.pop("bytes"), target / LEDGER)
    write_csv(wire, target / "wire.csv")
    document = {
        **asdict(order),
        "clients": len(planned.clients),
        "protection": protection(planned.server.setting.job, order.repeat),
        **outcome,
        "messages_are_ledger": wire["ledger"].equals(wire["messages"]),
        "study": equal_to_study(outcome, prepared, order) if planned.whole else None,
    }
    write_json(target / "run.json", document)
    return target, document


def protection(job: Job, repeat: bool) -> str:
    """Return what protects the messages of a run."""
    if job.setting.mechanism == "none" and job.setting.values.get("label_epsilon") is None:
        return PLAIN
    return REPEATED if repeat else DRAWN


def new_folder(parent: Path) -> Path:
    """Return a new folder, named by the first number from 1 on that no earlier run has taken."""
    for number in count(1):
        with suppress(FileExistsError):
            (parent / str(number)).mkdir(parents=True)
            break
    return parent / str(number)


def _outcome(federation: Federation, planned: Plans) -> dict[str, Any]:
    """Start the clients and the app, and return the server's outcome with Flower's count of bytes.

    Raises:
        UserError: with the sentence of a run that failed.
    """
    for client in planned.clients:
        path = federation.folder / f"client-{client.client}.json"
        write_plan(path, client)
        federation.start_node(client.client, path)
    write_plan(federation.folder / "server.json", planned.server)
    started = time.monotonic()
    number = federation.run(federation.folder / "server.json")
    _await(federation, number)
    document = read_json(federation.folder / OUTCOME, "outcome of a run")
    if "error" in document:
        raise UserError(document["error"])
    traffic = federation.state(number).get("network-traffic", {})
    return document | {"seconds": time.monotonic() - started, "superlink": traffic}


def _await(federation: Federation, number: str) -> None:
    """Wait until the server has written its outcome, which its patience bounds.

    Raises:
        UserError: if the run ends without.
    """
    path = federation.folder / OUTCOME
    for look in count(1):
        if path.is_file():
            return
        if federation.superlink.poll() is not None:
            raise UserError(f"the SuperLink has ended: {federation.last_line()}; call it again")
        status = "" if look % LOOKS_AT_STATE else str(federation.state(number).get("status"))
        if status.startswith("finished") and not path.is_file():
            raise UserError(f"the run ends without an outcome: {federation.last_line()}")
        time.sleep(LOOK_SECONDS)
