"""What `./run` leaves on the screen of a study, and how it ends."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
import run_workflow
from fbftl.ground.progress import JobsDone
from run_workflow import DRY, FAILURES, main, outcome

ROOT = Path(__file__).parents[3]

STUDY = """\
import sys
print("tasks.digits: a note", file=sys.stderr)
workdir: "mine"
rule all:
    input: "made"
    localrule: True
    message: "All is there"
rule make:
    output: touch("made")
    log: "make.log"
    message: "Make it"
    shell: "echo sealed 0123; {body}"
"""


def call(folder: Path, body: str, ending: str = "") -> subprocess.Popen[str]:
    """Call the front with a study of one job, in a folder of its own, that does what is given.

    `ending` is the last line of its Snakefile.
    """
    (folder / "mine" / "results").mkdir(parents=True)
    (folder / "mine" / "results" / "index.html").touch()
    (folder / "Snakefile").write_text(STUDY.replace("{body}", body) + ending)
    front = ROOT / "scripts" / "tools" / "run_workflow.py"
    path = os.pathsep.join(map(str, [ROOT / "scripts", ROOT / "workflow" / "plugins"]))
    return subprocess.Popen(
        [sys.executable, front, "all", "--cores", "1"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,
    )


def test_a_finished_study_says_what_it_made_and_what_to_open(tmp_path):
    running = call(tmp_path, "true")
    printed, lines = running.communicate(timeout=50)
    assert running.returncode == 0
    assert "tasks.digits: a note\n" in lines
    assert lines.splitlines()[-2].endswith("jobs: 2")
    assert lines.splitlines()[-1] == "Open mine/results/index.html"
    assert "sealed" not in printed + lines
    (of_jobs,) = (tmp_path / ".snakemake" / "log").glob("*.jobs.log")
    assert "sealed 0123" in of_jobs.read_text()


def test_a_failed_job_is_named_with_its_log_and_the_exit_code_is_snakemakes(tmp_path):
    running = call(tmp_path, "echo UserError: no such file > {log}; exit 1")
    _, lines = running.communicate(timeout=50)
    assert running.returncode == 1
    assert lines.splitlines()[-4:] == [
        "Failed: Make it",
        "  UserError: no such file",
        "  its log is mine/make.log",
        "0 of 2 jobs are done and stay. Mend what failed, then call the same command again",
    ]


def test_who_stops_a_call_is_told_how_to_go_on(tmp_path):
    running = call(tmp_path, "touch started; sleep 60")
    deadline = time.monotonic() + 50
    while not (tmp_path / "mine" / "started").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    _, lines = running.communicate(timeout=50)
    assert running.returncode == 1
    assert "Stopped; 0 of 2 jobs are done and stay" in lines.splitlines()[-1]


def test_a_call_that_never_plans_says_why(tmp_path):
    running = call(tmp_path, "true", ending="sys.exit('config: seeds is empty; name some')")
    _, lines = running.communicate(timeout=50)
    assert running.returncode == 1
    assert lines.splitlines()[-1] == "config: seeds is empty; name some"


def test_of_many_failed_jobs_a_few_are_named():
    failed = {n: SimpleNamespace(jobid=n, rule_name="train", log=[]) for n in range(FAILURES + 2)}
    screen = JobsDone(sys.stderr)
    screen.planned = len(failed)
    made = SimpleNamespace(
        screen=screen, folder=".", failed=failed, messages={0: "Train"}, errors=[], path="run.log"
    )
    first, *others, more, _ = outcome(made, 1, stopped=False)
    assert (first, set(others)) == ("Failed: Train", {"Failed: train"})
    assert (len(others), more) == (FAILURES - 1, "2 more jobs failed; they are in run.log")


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the words with which Snakemake is called in the place of the front."""
    words: list[str] = []

    def execute(_: str, command: Sequence[str]) -> None:
        words.extend(command)
        raise SystemExit

    monkeypatch.setattr(run_workflow.os, "execvp", execute)
    return words


@pytest.mark.parametrize(
    "words", [["-np"], ["-Fnq"], ["-n", "--verbose"], ["--summary"], ["--lint"]]
)
def test_calls_that_make_nothing_are_snakemakes_alone(handed, words):
    with pytest.raises(SystemExit):
        main(["--page", "report.html", *words, "--cores", "2"])
    assert handed == ["snakemake", *words, "--cores", "2"]


def test_a_dry_run_counts_jobs(handed):
    with pytest.raises(SystemExit):
        main(["-n", "--cores", "2", "results/a.csv"])
    assert handed == ["snakemake", *DRY, "-n", "--cores", "2", "results/a.csv"]


@pytest.mark.parametrize(
    ("words", "left"),
    [
        (["--verbose"], []),
        (["--quiet", "rules"], ["--quiet", "rules"]),
        (["--page", "a.html", "--verbose"], ["--report", "a.html", "--report-after-run"]),
    ],
)
def test_the_screen_can_be_left_to_snakemake(handed, words, left):
    with pytest.raises(SystemExit):
        main([*words, "--cores", "2"])
    assert handed == ["snakemake", *left, "--cores", "2"]
