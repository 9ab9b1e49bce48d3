"""A fork server gives processes that begin with what it has imported, in groups of their own."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fbftl_deploy.federation import end, listens
from fbftl_deploy.forking import PROGRAMS, forked, write_programs

STAND_IN = """
import os, subprocess, sys, time
def flower_supernode():
    print("node", os.getpid(), "heavy" in sys.modules, *sys.argv[1:], flush=True)
    subprocess.run(["flwr-clientapp", "--token", "two words"])
    time.sleep(60)
def flwr_clientapp():
    print("app", os.getpgid(0), "fbftl_deploy" in sys.modules, *sys.argv[1:], flush=True)
def flower_superexec():
    pass
"""
"""What stands in for Flower's programs, which this environment lacks."""


@pytest.fixture
def server(root: Path, tmp_path: Path) -> Iterator[Path]:
    """The socket of a fork server whose Flower is a stand-in."""
    for package in ("flwr", "flwr/supernode", "flwr/supercore"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
    for module, _ in PROGRAMS.values():
        (tmp_path / f"{module.replace('.', '/')}.py").write_text(STAND_IN)
    (tmp_path / "heavy.py").write_text("import time; time.sleep(0.5)")
    path = tmp_path / "forks"
    write_programs(tmp_path / "programs", path)
    process = subprocess.Popen(
        [sys.executable, "-m", "fbftl_deploy.forking", path, "serve", "heavy"],
        env=os.environ
        | {
            "PYTHONPATH": os.pathsep.join([str(tmp_path), str(root / "deploy")]),
            "PATH": f"{tmp_path / 'programs'}:{os.environ['PATH']}",
        },
        start_new_session=True,
    )
    try:
        while process.poll() is None and not listens(str(path)):
            time.sleep(0.02)
        yield path
    finally:
        end([process])


def test_a_fork_begins_with_all_imports_and_its_programs_join_its_group(server, tmp_path):
    log = tmp_path / "log"
    with log.open("ab") as file:
        process = forked(server, ["flower-supernode", "--port", "1"], file.fileno())
    for _ in range(500):
        if len(lines := log.read_text().splitlines()) == 2:
            break
        time.sleep(0.02)
    assert lines == [
        f"node {process} True --port 1",
        # The app of a fork is the one that Flower loads, so that nothing of it is there before.
        f"app {process} False --token two words",
    ]
    end([], [process])
    with pytest.raises(ProcessLookupError):
        os.killpg(process, 0)
