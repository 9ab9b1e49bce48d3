"""Kill -9 anywhere, and two calls at once: the next call ends in an undisturbed one's files."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Collection
from pathlib import Path

from faults import script_jobs, under_way
from project import Project

STAGES = ("extract", "train", "results_digits")

SLOWER = {"tasks": {"digits": {"training": {"epochs": 200}}}}
"""A training that takes seconds."""


def wait_for(project: Project, run: "subprocess.Popen[str]", *stages: str) -> str:
    """Wait until a run has started a job of one of some stages, and return this one.

    It must do so before it ends.
    """
    while not (found := [stage for stage in stages if under_way(project.console(), stage)]):
        assert run.poll() is None, project.console()
        time.sleep(0.01)
    return found[0]


def kill_in(project: Project, stages: Collection[str], delay_s: float) -> str:
    """Start a run, kill it with all its jobs while one of some stages is under way; return it."""
    run = project.start()
    stage = wait_for(project, run, *stages)
    time.sleep(delay_s)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    return stage


def test_killed_in_its_longest_stages_it_ends_in_the_same_files(fresh, reference):
    """Each call goes on where the last one was killed, a moment into its next stage."""
    left = set(STAGES)
    while left:
        left.remove(kill_in(fresh, left, 0.5))
    fresh.finish()
    assert fresh.science() == reference.science()
    assert not fresh.left().jobs


def test_a_killed_batch_keeps_its_finished_runs(finished):
    before = finished.stored()
    run = finished.start("runs", study=SLOWER)
    while not any(name.endswith(".json") for name in finished.stored() - before):
        assert run.poll() is None, finished.console()
        time.sleep(0.01)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    kept = {path.stat().st_mtime_ns for path in (finished.results / "store/runs").glob("*.json")}
    finished.finish("runs", study=SLOWER)
    after = {path.stat().st_mtime_ns for path in (finished.results / "store/runs").glob("*.json")}
    assert kept <= after
    assert finished.left(SLOWER).runs == 0


def test_a_job_that_outlives_a_killed_call_does_no_harm(finished):
    """Only Snakemake is killed; the next call, of another plan, meets its job still at work."""
    tables = finished.tables()
    run = finished.start(study=SLOWER)
    wait_for(finished, run, "train")
    while not (jobs := script_jobs(run.pid)):
        time.sleep(0.01)
    run.kill()
    run.wait()
    assert any(Path(f"/proc/{job}").exists() for job in jobs)
    finished.finish()
    assert finished.tables() == tables
    finished.finish("runs", study=SLOWER)
    assert finished.left(SLOWER).runs == 0


def test_a_second_call_in_the_same_folder_is_refused(finished):
    one = SLOWER | {"experiments": {"scarcity": {"grids": [{"plr": [0.0]}]}}}
    run = finished.start("runs", study=one)
    wait_for(finished, run, "train")
    # On a busy machine it might else end before the second has read its configuration.
    os.killpg(run.pid, signal.SIGSTOP)
    second = finished.call(study=one)
    looked = finished.call("--dry-run", study=one)
    os.killpg(run.pid, signal.SIGCONT)
    assert second.returncode != 0
    assert f"process {run.pid} on " in second.stderr
    assert looked.returncode == 0
    assert run.wait() == 0


def test_two_folders_fill_one_store_at_once(fresh, reference, tmp_path):
    """Each extracts and trains what the other may be making."""
    other = fresh.copy(tmp_path / "other")
    store = Path(shutil.copytree(reference.results / "store", tmp_path / "store"))
    for kind in ("features", "runs"):
        shutil.rmtree(store / kind)
    study = {"store": str(store)}
    table = "digits/tables/scarcity.csv"
    calls = [project.start(f"results/{table}", study=study) for project in (fresh, other)]
    assert [call.wait() for call in calls] == [0, 0], fresh.console() + other.console()
    assert fresh.tables() == other.tables()
    assert fresh.tables()[table] == reference.tables()[table]
