"""A setting of the toy study as a Flower federation of four clients, where Flower is at hand."""

import json
import os
import socket
import subprocess
from pathlib import Path

import pytest
from fbftl.study.resolved import study_of
from fbftl_deploy.planning import Order, plan
from project import TOY, Project
from unit.deploy.in_process import run

PYTHON = Path(".venv-deploy", "bin", "python")
PORTS = 10


@pytest.fixture
def python(root: Path) -> Path:
    """The interpreter that ./run deploy has made."""
    if not (root / PYTHON).is_file():
        pytest.skip("there is no .venv-deploy; ./run deploy makes it")
    return root / PYTHON


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
    return socket.create_server(("127.0.0.1", port))


def test_four_clients_give_the_head_of_the_library_call(root, python, finished: Project):
    order = Order("digits", "fbftl", 0, clients=4, repeat=True)
    study = study_of(root, [str(root / TOY)])
    served, _, sent = run(plan(study, order, finished.results, finished.folder, 0))
    words = ["fbftl", "--clients", "4", "--repeat", "--port", str(free_ports())]
    done = subprocess.run(
        [python, "-m", "fbftl_deploy", *words, "--configfile", TOY],
        cwd=finished.folder,
        env=os.environ | {"PYTHONPATH": f"{root / 'scripts'}:{root / 'deploy'}"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    path = finished.results / "digits" / "deployed" / "fbftl" / "0.json"
    document = json.loads(path.read_text())
    assert document["models"] == served.models
    assert list(document["payload_bytes"].values()) == sent
    assert document["payload_is_ledger"]
    for parts in document["wire"]["total"].values():
        assert 0 <= parts["rest"] <= 0.01 * parts["seen"]
