"""Kill -9 anywhere: the next call ends in the files of a run that nothing disturbed."""

import os
import shutil
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

from faults import script_jobs, under_way
from project import Project

STAGES = ("clients", "source", "extract_digits", "train", "collect")

SWEPT = 300
"""Settings of a sweep that is killed."""


def wait_for(project: Project, run: "subprocess.Popen[str]", stage: str) -> None:
    """Wait until a run has started a job of a stage; it must do so before it ends."""
    while not under_way(project.console(), stage):
        assert run.poll() is None, project.console()
        time.sleep(0.01)


def wait_for_job(project: Project, run: "subprocess.Popen[str]", stage: str) -> list[int]:
    """Wait until a stage's job runs, and return the processes of its script."""
    wait_for(project, run, stage)
    while not (jobs := script_jobs(run.pid)):
        assert run.poll() is None, project.console()
        time.sleep(0.01)
    return jobs


def kill_in(project: Project, stage: str, delay_s: float) -> None:
    """Start a run and kill it with all its jobs while the stage is under way."""
    run = project.start("--until", stage)
    wait_for(project, run, stage)
    time.sleep(delay_s)
    os.killpg(run.pid, signal.SIGKILL)
    assert run.wait() == -signal.SIGKILL


def test_killed_in_every_stage_it_ends_in_the_same_files(
    fresh: Project, reference: Project
) -> None:
    """Each call goes on where the last one was killed, a moment into its next stage."""
    for stage in STAGES:
        kill_in(fresh, stage, 0.5)
    fresh.finish()
    assert fresh.science() == reference.science()
    assert not fresh.planned()


def test_jobs_that_outlive_a_killed_run_do_no_harm(finished: Project, reference: Project) -> None:
    """Only Snakemake is killed; the next call meets its job still at work."""
    run = finished.start("--forcerun", "extract_digits")
    jobs = wait_for_job(finished, run, "extract_digits")
    run.kill()
    run.wait()
    assert all(Path(f"/proc/{job}").exists() for job in jobs)
    finished.finish()
    assert finished.science() == reference.science()


KILLING = "import os, signal\n\ndef seals(outputs):\n    os.killpg(0, signal.SIGKILL)\n"
"""What ends a job and Snakemake with it when all outputs are written; decides no result."""


def test_a_kill_between_the_store_and_the_job_s_end_costs_no_extraction(
    finished: Project, reference: Project
) -> None:
    """Whatever the job did after its store was in place, the next one finds it there."""
    seals = finished.folder / "scripts/fbftl/ground/seals.py"
    kept = seals.read_text(encoding="utf-8")
    store = finished.results / "digits/features.zarr"
    shutil.rmtree(store)
    (finished.results / "digits/features.json").unlink()
    seals.write_text(f"{kept}\n\n{KILLING}", encoding="utf-8")
    assert finished.start("--", "features").wait() == -signal.SIGKILL
    seals.write_text(kept, encoding="utf-8")
    chunks = {path: path.stat().st_mtime_ns for path in store.rglob("c/**/*") if path.is_file()}
    assert chunks
    assert finished.planned()["extract_digits"] == 1
    finished.finish()
    assert {path: path.stat().st_mtime_ns for path in chunks} == chunks
    assert finished.science() == reference.science()


def test_a_second_run_in_the_same_folder_is_refused(finished: Project) -> None:
    study = {"tasks": {"digits": {"training": {"learning_rate": 0.02}}}}
    run = finished.start(study=study)
    wait_for(finished, run, "train")
    # On a busy machine it might else end before the second has read its configuration.
    os.killpg(run.pid, signal.SIGSTOP)
    second = finished.call(study=study)
    os.killpg(run.pid, signal.SIGCONT)
    assert second.returncode != 0
    assert f"process {run.pid} on " in second.stderr
    assert run.wait() == 0


def test_a_killed_fan_out_goes_on_with_what_is_missing(finished: Project) -> None:
    """A sweep is killed after its first runs; the next plan has the others and nothing else."""
    losses = [round(i / SWEPT, 6) for i in range(SWEPT)]
    study = {
        "study": {"experiments": ["sweep"]},
        "experiments": {"sweep": {"grids": [{"plr": losses}]}},
    }
    before = finished.planned(study=study)
    run = finished.start(study=study)
    while finished.console().count("(Rule: train)") < 3:
        assert run.poll() is None, finished.console()
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    trained = finished.console().count("(Rule: train)")
    missing = before - Counter(train=trained)
    assert before["train"] > SWEPT - 10
    assert finished.planned(study=study) in (missing, missing - Counter(train=1))
