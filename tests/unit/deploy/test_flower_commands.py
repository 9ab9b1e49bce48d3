"""What Flower's command line says of a run, or that it fails, in one sentence."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fbftl.ground.errors import UserError
from fbftl_deploy import federation
from fbftl_deploy.federation import Federation


@pytest.fixture
def processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Federation]:
    """A federation of no clients whose Flower is a script in the test's folder."""
    monkeypatch.setattr(federation, "_program", tmp_path.joinpath)
    processes = Federation(0, exact=False)
    yield processes
    processes.__exit__()


def prints(folder: Path, words: str) -> None:
    (folder / "flwr").write_text(f"#!/bin/sh\ncat <<'END'\n{words}\nEND\n")
    (folder / "flwr").chmod(0o755)


def test_a_run_that_flower_knows_has_a_state(processes, tmp_path):
    prints(tmp_path, json.dumps({"success": True, "runs": [{"status": "running"}]}))
    assert processes.state("7") == {"status": "running"}


FAILS = {
    json.dumps({"success": False, "error-message": "Run ID 7\n not found"}): "Run ID 7 not found",
    "no such option": "no such option",
}


@pytest.mark.parametrize("words", FAILS)
def test_a_run_that_flower_does_not_know_is_one_sentence(processes, tmp_path, words):
    prints(tmp_path, words)
    with pytest.raises(UserError, match=f"^flwr list fails: {FAILS[words]}$"):
        processes.state("7")
