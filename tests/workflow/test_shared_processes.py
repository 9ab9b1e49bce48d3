"""Settings that share a process: what is in a batch, the files of one process each, and kills."""

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from project import Project

TWO = {"settings_per_process": 2}
AUTO = {"settings_per_process": "auto"}
RUNS = ("--", "runs")


def batches(planned: Counter[str]) -> int:
    """Return how many processes with several settings are among the planned jobs."""
    return sum(count for rule, count in planned.items() if rule.startswith("train_heads_"))


def trained(planned: Counter[str]) -> tuple[int, int]:
    """Return the processes with several settings and those with one."""
    return batches(planned), planned["train"]


def scarcity(**axes: list[Any]) -> dict[str, Any]:
    """Return a study whose grid is another than the toy study's."""
    return {"experiments": {"scarcity": {"grids": [axes]}}}


def untrained(project: Project) -> None:
    """Remove every run."""
    shutil.rmtree(project.results / "digits/runs")


@pytest.fixture(scope="session")
def in_pairs(reference: Project, shared: Callable[..., Project]) -> Project:
    """The finished toy study, its four settings trained in two processes; for reading only."""

    def make(folder: Path) -> None:
        project = reference.copy(folder)
        untrained(project)
        assert trained(project.planned(study=TWO)) == (2, 0)
        project.finish(study=TWO)

    return shared("in_pairs", make)


@pytest.fixture
def together(in_pairs: Project, tmp_path: Path) -> Project:
    """A copy of it, for a test to change as it likes."""
    return in_pairs.copy(tmp_path / "project")


def test_a_shared_process_leaves_what_processes_of_their_own_leave(
    together: Project, reference: Project
) -> None:
    assert together.planned(study=TWO) == Counter()
    ours, alone = together.science(), reference.science()
    ledgers = {path for path in alone if path.endswith(".parquet")}
    assert len(ledgers) == 4
    assert ours.keys() == alone.keys()
    assert {path: ours[path] for path in ledgers} == {path: alone[path] for path in ledgers}
    assert together.models().items() <= reference.models().items()
    records = sorted(path.stem for path in (together.results / "digits/records/runs").iterdir())
    assert records == sorted(
        path.stem for path in (together.results / "digits/runs").glob("*.par*")
    )


@pytest.mark.parametrize("bound", [1, 3, "auto"])
def test_finished_settings_are_of_every_batch_s_size(together: Project, bound: int | str) -> None:
    assert together.planned(study={"settings_per_process": bound}) == Counter()


def test_settings_that_are_added_share_processes_of_their_own(together: Project) -> None:
    grid = {"fraction": [1.0, 0.5], "plr": [0.0, 0.5, 0.7]}
    assert trained(together.planned(study=TWO | scarcity(**grid))) == (1, 0)
    three = scarcity(fraction=[1.0], plr=[0.0, 0.5, 0.6, 0.7, 0.8])
    assert trained(together.planned(study=TWO | three)) == (1, 1)


def test_by_default_short_settings_keep_every_core_busy(finished: Project) -> None:
    """Eight wait for two cores: four each; of one, a process of its own."""
    losses = [0.0, 0.5, *(round(0.51 + i / 100, 2) for i in range(8))]
    assert trained(finished.planned(study=AUTO | scarcity(plr=losses))) == (2, 0)
    assert trained(finished.planned(study=AUTO | scarcity(plr=losses[:3]))) == (0, 1)


def test_by_default_long_settings_have_a_process_each(finished: Project) -> None:
    longer = {"tasks": {"digits": {"training": {"epochs": 1_000_000}}}}
    assert trained(finished.planned(study=AUTO | longer)) == (0, 4)


def test_what_changed_and_what_was_removed_makes_a_batch(together: Project) -> None:
    four = {"settings_per_process": 4}
    rate = {"tasks": {"digits": {"training": {"learning_rate": 0.02}}}}
    assert trained(together.planned(study=four | rate)) == (1, 0)
    cut = {"tasks": {"digits": {"features": {"cut": "fc1"}}}}
    assert trained(together.planned(study=four | cut)) == (1, 0)
    for name in ("fbftl.json", "fbftl+plr=0.5.parquet"):
        (together.results / "digits/runs" / name).unlink()
    assert trained(together.planned(study=four)) == (1, 0)
    assert trained(together.planned(study=TWO)) == (1, 0)
    (together.folder / "scripts/fbftl/methods/fbftl/run.py").open("a").write("\nCHANGED = 1\n")
    assert trained(together.planned(study=four)) == (1, 0)


def test_a_run_that_is_forced_has_a_process_of_its_own(together: Project) -> None:
    run = "results/digits/runs/fbftl.json"
    assert trained(together.planned("--forcerun", run, study=TWO)) == (0, 1)
    assert trained(together.planned("--forcerun", "train", study=TWO)) == (0, 4)


SOLVED = {
    "settings_per_process": 3,
    "study": {"experiments": ["solved"]},
    "experiments": {
        "solved": {
            "grids": [
                {
                    "method": ["one_shot"],
                    "message": ["statistics"],
                    "head": ["lda"],
                    "plr": [0.0, 0.3, 0.5],
                }
            ]
        }
    },
}
"""Settings that train one after another."""

KILLING = """

_keep = keep


def keep(*part):
    import os
    import signal

    _keep(*part)
    os.{}(0 if "{}" == "killpg" else os.getpid(), signal.SIGKILL)
"""
"""What ends a job, or Snakemake with it, when the first of its settings is finished."""


@pytest.mark.parametrize("kill", ["kill", "killpg"])
def test_a_killed_process_keeps_what_it_has_finished(finished: Project, kill: str) -> None:
    parts = finished.folder / "scripts/fbftl/ground/parts.py"
    whole = parts.read_text(encoding="utf-8")
    parts.write_text(whole + KILLING.format(kill, kill), encoding="utf-8")
    assert finished.start(*RUNS, study=SOLVED).wait() != 0
    parts.write_text(whole, encoding="utf-8")
    (kept,) = (finished.folder / ".snakemake/kept/results/digits/runs").glob("*.meta.json")
    written = kept.read_bytes()
    assert trained(finished.planned(*RUNS, study=SOLVED)) == (1, 0)
    finished.finish(*RUNS, study=SOLVED)
    assert (finished.results / "digits/runs" / kept.name).read_bytes() == written
    assert not list((finished.folder / ".snakemake/kept").rglob("*.json"))
    (log,) = (finished.results / "digits/logs/runs").glob("solved-*.log")
    assert "linked what an equal job has written: 1" in log.read_text(encoding="utf-8")
    ours = {path: digest for path, digest in finished.science().items() if "one_shot" in path}
    assert len(ours) == 6
    for path in finished.results.rglob("*one_shot*"):
        path.unlink()
    finished.finish(*RUNS, study=SOLVED | {"settings_per_process": 1})
    assert ours == {
        path: digest for path, digest in finished.science().items() if "one_shot" in path
    }


def test_the_record_of_a_shared_run_is_the_one_that_it_would_have_alone(
    together: Project, reference: Project
) -> None:
    for path in (reference.results / "digits/records/runs").iterdir():
        alone = json.loads(path.read_bytes())
        ours = json.loads((together.results / "digits/records/runs" / path.name).read_bytes())
        for key in ("params", "inputs", "lock", "stores"):
            assert ours[key] == alone[key]
        assert ours["outputs"].keys() == alone["outputs"].keys()
