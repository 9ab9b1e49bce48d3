"""Settings of the toy study as Flower federations, where `.venv-deploy` is there."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from fbftl.plan.opened import Prepared
from fbftl_deploy.planning import Order, plan
from project import TOY, Project
from pyarrow.csv import read_csv
from unit.deploy.in_process import run

CALL = """
import sys
from fbftl_deploy.__main__ import main

sys.exit(main(sys.argv[1:]))
"""

MORE = "more.yaml"
DOORS = """
tasks: {digits: {training: {rounds: 2}}}
experiments:
  scarcity:
    grids: [{method: [fbftl, ftl_c]}, {method: [fedavg], network: [mlp]}]
"""
"""Laid over the toy study: a method for each door."""


@pytest.fixture
def flower(root: Path) -> Path:
    """The interpreter of Flower's own environment."""
    python = root / ".venv-deploy" / "bin" / "python"
    if not python.is_file():
        pytest.skip("there is no .venv-deploy; ./run deploy makes it")
    return python


def started(
    root: Path, flower: Path, project: Project, *words: str, before: str = ""
) -> subprocess.Popen[str]:
    """Start a deployment of the toy study, whose folder is below the project's."""
    paths = {"PYTHONPATH": f"{root / 'scripts'}:{root / 'deploy'}", "TMPDIR": str(project.folder)}
    return subprocess.Popen(
        [flower, "-c", before + CALL, words[0], "--configfile", TOY, *words[1:]],
        cwd=project.folder,
        env=os.environ | paths,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished_run(process: subprocess.Popen[str], project: Project, setting: str, run: int) -> dict:
    """Return what the result of a deployment says, once it is there, and require its bytes."""
    printed, errors = process.communicate(timeout=600)
    assert process.returncode == 0, printed + errors
    folder = project.results / "digits" / "deployed" / setting / str(run)
    wire = read_csv(folder / "wire.csv")
    assert wire["ledger"].equals(wire["messages"])
    assert all(map(int.__gt__, wire["objects"].to_pylist(), wire["messages"].to_pylist()))
    return json.loads((folder / "run.json").read_text())


@pytest.mark.parametrize("setting", ["fbftl", "ftl_c", "fedavg+network=mlp"])
def test_two_clients_give_the_head_of_the_library_call(
    root, flower, finished, setting, monkeypatch
):
    (finished.folder / MORE).write_text(DOORS)
    monkeypatch.setenv("FBFTL_STORE", str(finished.results / "store"))
    prepared = Prepared.of_files(root, [str(root / TOY), str(finished.folder / MORE)])
    order = Order("digits", setting, clients=2, repeat=True)
    served, *_ = run(plan(prepared, order))
    process = started(
        root, flower, finished, setting, "--clients", "2", "--repeat", "--configfile", MORE
    )
    document = finished_run(process, finished, setting, 1)
    assert document["models"] == served.models
    assert document["messages_are_ledger"]
    assert document["refused"] == document["failed"] == []
    assert list(finished.folder.glob("fbftl-deploy-*")) == []
