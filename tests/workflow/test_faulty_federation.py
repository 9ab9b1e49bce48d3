"""Faults over Flower itself: faulty clients, and a SuperLink that is killed in the middle of a run.

Minutes of several processes, so that only FBFTL_WHOLE=1 runs them; the same faults without Flower
are in tests/unit/deploy.
"""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from fbftl.study.resolved import study_of
from fbftl_deploy.federation import Ports
from fbftl_deploy.planning import Order, plan
from flower import found_by, free_ports
from project import TOY, Project
from unit.deploy.in_process import run

pytestmark = pytest.mark.skipif(
    os.environ.get("FBFTL_WHOLE") != "1", reason="minutes of processes; FBFTL_WHOLE=1 runs them"
)

FAULTY = """

import time
from dataclasses import replace

honest_answer = answer


def answer(plan, request, memory):
    sent = honest_answer(plan, request, memory)
    match plan.position:
        case 0:
            return replace(sent, messages=(b"garbage",) * len(sent.messages))
        case 1:
            return replace(sent, version=9)
        case 2:
            return replace(sent, run="0" * 16)
        case 3:
            time.sleep(20)  # until the next client has answered for itself
            return replace(sent, client=plan.client + 1)
    return sent
"""
"""Added to the app of clients: all but the last of five do something wrong."""

SLOW = """

import time

quick_answer = answer


def answer(plan, request, memory):
    if plan.position == 3:
        time.sleep(300)
    return quick_answer(plan, request, memory)
"""
"""Added to the app of clients: the last of four does not answer before the test has ended."""

REASONS = ("decoded", "version 9", "another request", "has answered before")


def faulty_run(
    root: Path, flower: Path, project: Project, folder: Path, added: str, clients: int, port: int
) -> subprocess.Popen[str]:
    """Start a run of the toy study whose app of clients has something added, below a new folder."""
    app = Path(shutil.copytree(root / "deploy", folder / "app"))
    with (app / "fbftl_deploy" / "client_app.py").open("a", encoding="utf-8") as file:
        file.write(added)
    words = [app, "fbftl", str(clients), str(port), TOY]
    return subprocess.Popen(
        [flower, Path(__file__).with_name("faulty_federation.py"), *words],
        cwd=project.folder,
        env=found_by(root) | {"TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_garbage_replays_duplicates_and_other_versions_are_refused(
    root: Path, flower: Path, finished: Project, tmp_path: Path
) -> None:
    process = faulty_run(root, flower, finished, tmp_path, FAULTY, 5, free_ports())
    printed, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    document = json.loads((finished.folder / printed.strip()).read_text())
    assert document["failed"] == []
    assert len(document["refused"]) == len(REASONS)
    for reason in REASONS:
        assert sum(reason in sentence for sentence in document["refused"]) == 1
    study = study_of(root, [str(root / TOY)])
    order = Order("digits", "fbftl", 0, clients=5, repeat=True)
    plans = plan(study, order, finished.results, tmp_path, 0)
    last = plans.clients[-1].client
    served, *_ = run(plans, lambda sent: [sent] if sent.client == last else [])
    assert document["models"] == served.models


def test_a_killed_superlink_ends_the_run_with_what_had_arrived_in_one_sentence(
    root: Path, flower: Path, finished: Project, tmp_path: Path
) -> None:
    first = free_ports()
    process = faulty_run(root, flower, finished, tmp_path, SLOW, 4, first)
    awaited(lambda: any(tmp_path.glob("fbftl-deploy-*/outcome.arrived")), process)
    children = subprocess.run(
        ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(process.pid)],
        capture_output=True,
        text=True,
    )
    (superlink,) = [line for line in children.stdout.splitlines() if "flower-superlink" in line]
    os.kill(int(superlink.split()[0]), signal.SIGKILL)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 2, errors
    assert errors.startswith("the SuperLink has ended, ")
    assert "had arrived by request 1 and are not kept; call it again" in errors
    assert errors.count("\n") == 1
    assert list(tmp_path.glob("fbftl-deploy-*")) == []
    Ports.planned(first, [0, 1, 2, 3]).require_free()


def awaited(happened: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until something has happened while a process runs."""
    until = time.monotonic() + 300
    while not happened():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.1)
