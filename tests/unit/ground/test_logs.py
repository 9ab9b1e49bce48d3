"""What a job leaves behind: a log, and one sentence if it fails."""

import logging
from pathlib import Path
from types import SimpleNamespace

import pytest
from fbftl.ground.artefacts import Store
from fbftl.ground.errors import UserError
from fbftl.ground.logs import log, run_job

NOTE = {"study": {"exact": False}}


@pytest.fixture
def job(tmp_path: Path) -> SimpleNamespace:
    handlers = list(log.handlers)
    Store(tmp_path).put_note("notes", "a", NOTE)
    params = SimpleNamespace(store=str(tmp_path), note="a")
    yield SimpleNamespace(log=[str(tmp_path / "logs" / "job.log")], threads=3, params=params)
    log.handlers[:] = handlers


def written(job: SimpleNamespace) -> str:
    return Path(job.log[0]).read_text()


def test_records_go_to_the_log_and_the_console(job, capfd):
    run_job(job, lambda *_: logging.getLogger("fbftl.training.stacked").info("epoch 1"))
    assert "INFO epoch 1" in written(job)
    assert "epoch 1" in capfd.readouterr().err


def test_a_user_error_is_one_sentence_and_a_traceback_in_the_log(job):
    def main(*_: object) -> None:
        raise UserError("file x is missing; put it there")

    with pytest.raises(SystemExit) as ended:
        run_job(job, main)
    assert ended.value.code == f"file x is missing; put it there (details: {job.log[0]})"
    assert "Traceback" in written(job)


def test_a_bug_is_called_unexpected(job):
    with pytest.raises(SystemExit) as ended:
        run_job(job, lambda *_: {}["gone"])
    assert str(ended.value.code).startswith("unexpected error: KeyError('gone')")
    assert "KeyError" in written(job)


def test_a_script_gets_its_note_the_store_and_the_threads(job):
    got: list[object] = []
    run_job(job, lambda *given: got.extend(given))
    assert got == [NOTE, Store(Path(job.params.store)), 3]
    job.params.note = "b"
    with pytest.raises(SystemExit, match=r"b\.json cannot be read"):
        run_job(job, lambda *_: pytest.fail("no note, no job"))
