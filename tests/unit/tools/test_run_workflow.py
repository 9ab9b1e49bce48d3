"""What `./run` leaves on the screen of a study, and how it ends."""

import importlib
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from run_workflow import FAILURES, PLUGINS, POLL_S

PLANNED = """\
Job stats:
job      count
-----  -------
train        {jobs}
total        {jobs}

[Sun Nov 22 07:16:00 2026]
"""
FAILED = """\
Job {number}: Train {number}
Error in rule train:
    jobid: {number}
    log: train.log (check log file(s) for error details)
"""
FAKE = """\
#!{python}
import os, signal, sys, time
words = sys.argv[1:]
if "--logger" not in words:
    sys.exit(print("plain", *words))
log = open(words[words.index("--logger-file-path") + 1], "w")
print("tasks.digits: a note", file=sys.stderr, flush=True)
{body}
"""


def call(
    folder: Path, body: str, *words: str, wait: bool = True
) -> subprocess.Popen[str] | subprocess.CompletedProcess[str]:
    """Call the front with a Snakemake that writes a log and ends as `body` says."""
    program = folder / "bin" / "snakemake"
    program.parent.mkdir(exist_ok=True)
    program.write_text(FAKE.format(python=sys.executable, body=body))
    program.chmod(0o755)
    scripts = Path(__file__).parents[3] / "scripts"
    command = [sys.executable, str(scripts / "tools" / "run_workflow.py"), *words]
    path = os.pathsep.join([str(program.parent), os.environ["PATH"]])
    made = {
        "cwd": folder,
        "env": os.environ | {"PATH": path, "PYTHONPATH": str(scripts)},
        "text": True,
    }
    if wait:
        return subprocess.run(command, capture_output=True, **made)
    return subprocess.Popen(command, stderr=subprocess.PIPE, **made)


def written(text: str) -> str:
    """Return the code that writes a text to Snakemake's log."""
    return f"log.write({text!r}); log.flush()"


def test_a_finished_study_says_what_it_made_and_what_to_open(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "index.html").touch()
    started = PLANNED.format(jobs=1) + "Job 1: Train\n"
    finished = "Finished jobid: 1 (Rule: train)\n"
    seals = f"time.sleep({8 * POLL_S}); print('sealed 0123', flush=True)"
    done = call(tmp_path, f"{written(started)}; {seals}; {written(finished)}")
    lines = done.stderr.splitlines()
    assert done.returncode == 0
    assert "tasks.digits: a note" in lines
    assert "jobs: 1" in lines[-2]
    assert lines[-1] == "Open results/index.html"
    assert "sealed" not in done.stdout + done.stderr
    (log,) = (tmp_path / ".snakemake" / "log").glob("*.jobs.log")
    assert "sealed 0123" in log.read_text()


def test_a_study_in_a_folder_of_its_own_is_opened_there(tmp_path: Path) -> None:
    (tmp_path / "mine" / "results").mkdir(parents=True)
    (tmp_path / "mine" / "results" / "index.html").touch()
    named = f"The study runs in {tmp_path / 'mine'}\n  Working directory: {tmp_path}\n"
    done = call(tmp_path, written(named + PLANNED.format(jobs=0)))
    assert done.stderr.splitlines()[-1] == "Open mine/results/index.html"


def test_the_log_names_the_folder_that_the_workflow_changes_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(PLUGINS)
    plugin = importlib.import_module("snakemake_logger_plugin_file")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    handler = object.__new__(plugin.LogHandler)
    logging.Handler.__init__(handler)
    handler.settings = plugin.LogHandlerSettings(path=str(tmp_path / "run.log"))
    handler.__post_init__()
    for number, folder in enumerate((tmp_path, tmp_path / "mine")):
        monkeypatch.chdir(folder)
        handler.emit(logging.makeLogRecord({"msg": f"record {number}", "levelno": logging.INFO}))
    handler.file.close()
    lines = (tmp_path / "run.log").read_text().splitlines()
    assert lines == ["record 0", f"The study runs in {tmp_path / 'mine'}", "record 1"]


def test_failed_jobs_are_named_with_their_logs_and_the_exit_code_is_snakemakes(
    tmp_path: Path,
) -> None:
    jobs = FAILURES + 2
    (tmp_path / "train.log").write_text("Traceback\nUserError: no such file\n")
    failed = "".join(FAILED.format(number=number) for number in range(jobs))
    text = PLANNED.format(jobs=jobs) + failed
    done = call(tmp_path, f"{written(text)}; sys.exit(3)")
    assert done.returncode == 3
    assert done.stderr.count("  UserError: no such file\n  its log is train.log") == FAILURES
    assert "2 more jobs failed" in done.stderr
    assert f"0 of {jobs} jobs are done and stay" in done.stderr
    assert len(done.stderr.splitlines()) <= 40


def test_a_call_that_never_plans_says_why(tmp_path: Path) -> None:
    done = call(tmp_path, "sys.exit('config: seeds is empty; name some')")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "config: seeds is empty; name some"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_reaches_snakemake_and_the_call_says_how_to_go_on(
    tmp_path: Path, number: signal.Signals
) -> None:
    body = "\n".join(
        [
            "def stop(number, frame): open('stopped', 'w').write(str(number)); sys.exit(1)",
            "signal.signal(signal.SIGINT, stop); signal.signal(signal.SIGTERM, stop)",
            written(PLANNED.format(jobs=2) + "Job 1: Train\n"),
            "time.sleep(60)",
        ]
    )
    running = call(tmp_path, body, wait=False)
    deadline = time.monotonic() + 50
    logs = tmp_path / ".snakemake" / "log"
    while not any(path.stat().st_size for path in logs.glob("*.run.log")):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    running.send_signal(number)
    _, printed = running.communicate(timeout=50)
    assert running.returncode == 1
    assert (tmp_path / "stopped").read_text() == str(int(number))
    assert "Stopped; 0 of 2 jobs are done and stay" in printed.splitlines()[-1]


def test_a_call_that_a_signal_ends_ends_by_it(tmp_path: Path) -> None:
    done = call(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)")
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("words", [["-n"], ["-Fnq"], ["--summary"], ["--quiet", "rules"]])
def test_calls_that_make_nothing_are_snakemakes_alone(tmp_path: Path, words: list[str]) -> None:
    done = call(tmp_path, "", "--page", "report.html", *words, "--cores", "2")
    assert done.stdout.splitlines()[0] == " ".join(["plain", *words, "--cores", "2"])


def test_verbose_leaves_the_screen_to_snakemake(tmp_path: Path) -> None:
    done = call(tmp_path, "", "--verbose", "--cores", "2")
    assert (done.stdout, done.stderr) == ("plain --cores 2\n", "")
