"""The papers' studies in one call: toy systems beside the default study, each with its own."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from project import Project

PAPERS = {"ant": "ants", "bee": "bees", "hive": "bees"}
"""Toy systems, each with its paper."""


def toy_system(name: str, seeds: list[int]) -> dict[str, Any]:
    """Return a study of one small task and one experiment of two settings."""
    task = {
        "seeds": seeds,
        "data": {"kind": "digits", "limit": {"train": 80, "test": 20}},
        "source": {
            "kind": "pretrain",
            "image": [8, 8, 1],
            "network": {"name": "vgg", "channels": [[4], [4]], "fc": [16]},
            "samples": 256,
            "epochs": 1,
        },
        "features": {"cut": "relu_fc1"},
        "head": [8],
        "training": {"epochs": 1},
    }
    return {
        "paper": PAPERS[name],
        "study": {"tasks": [f"{name}-digits"], "experiments": [f"{name}_sweep"]},
        "tasks": {f"{name}-digits": task},
        "experiments": {f"{name}_sweep": {"grids": [{"plr": [0.0, 0.5]}]}},
    }


@pytest.fixture
def toys(fresh: Project) -> Project:
    """A fresh copy with two more papers: `ants` has one system, `bees` two."""
    systems = {"ant": [3], "bee": [0, 1], "hive": [2, 3, 5]}
    for name, seeds in systems.items():
        text = yaml.safe_dump(toy_system(name, seeds))
        (fresh.folder / "studies" / f"{name}.yaml").write_text(text, encoding="utf-8")
    return fresh


def trained(project: Project, *arguments: str) -> set[str]:
    """Return the tasks on which a call would train, by its dry run."""
    done = project.call("--dry-run", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return set(re.findall(r"Write the tables and figures of ([\w-]+)$", done.stdout, re.MULTILINE))


@pytest.mark.parametrize(
    ("arguments", "tasks"),
    [
        (("--config", "papers=all"), {"digits", "ant-digits", "bee-digits", "hive-digits"}),
        (("--config", "papers=[ants, fbftl]"), {"digits", "ant-digits"}),
        (("--configfile", "studies/ant.yaml"), {"ant-digits"}),
    ],
)
def test_a_call_makes_the_studies_that_it_names(
    toys: Project, arguments: tuple[str, ...], tasks: set[str]
) -> None:
    tasks_of_studies = {"digits", "ant-digits", "bee-digits", "hive-digits"}
    assert trained(toys, *arguments) & tasks_of_studies == tasks


def test_all_papers_run_in_one_call_with_one_report(toys: Project) -> None:
    report = ("--report", "results/report.html", "--report-after-run")
    toys.finish("--config", "papers=bees", *report)
    assert (toys.results / "report.html").exists()
    for task, seeds in (("bee-digits", {0, 1}), ("hive-digits", {2, 3, 5})):
        folder = toys.results / task / "experiments"
        tables = [path for path in folder.glob("*.csv") if not path.name.endswith(".series.csv")]
        (table,) = [path.read_text(encoding="utf-8").splitlines() for path in tables]
        column = table[0].split(",").index("seed")
        assert {int(row.split(",")[column]) for row in table[1:]} == seeds
    assert not (toys.results / "digits").exists()
    assert not (toys.results / "papers" / "fbftl").exists()


def test_a_task_that_two_studies_tell_is_refused_in_one_sentence(toys: Project) -> None:
    text = yaml.safe_dump(toy_system("ant", [0]))
    (toys.folder / "studies" / "hive.yaml").write_text(text, encoding="utf-8")
    done = toys.call("--dry-run")
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1] == (
        "the task 'ant-digits' is defined by studies/ant.yaml and by studies/hive.yaml; rename "
        "one of them"
    )


@pytest.fixture
def entry(fresh: Project) -> Project:
    """A copy with an environment, whose Snakemake only says and notes how it was called."""
    programs = fresh.folder / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "snakemake").write_text('#!/bin/sh\necho "$@" | tee -a calls\n', encoding="utf-8")
    (programs / "snakemake").chmod(0o755)
    names = ("requirements.txt", "requirements.lock")
    installed = b"".join((fresh.folder / "envs" / name).read_bytes() for name in names)
    (fresh.folder / ".venv" / "installed.lock").write_bytes(installed)
    return fresh


def ran(project: Project, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Call the project's entry."""
    return subprocess.run(
        [Path(project.folder, "run"), *arguments],
        env=dict(os.environ),
        capture_output=True,
        text=True,
    )


def test_the_entry_hands_over_papers_and_options(entry: Project) -> None:
    page = "--reporter papers --report-papers-path results/report.html"
    for arguments, handed in {
        (): "--config papers=all",
        ("eppfl",): "--config papers=eppfl",
        ("eppfl", "--cores", "2"): "--config papers=eppfl --cores 2",
    }.items():
        done = ran(entry, "papers", *arguments)
        assert done.returncode == 0
        noted = entry.folder / "calls"
        calls = noted.read_text(encoding="utf-8").splitlines()
        noted.unlink()
        assert [call.split(" ", 4)[-1] for call in calls] == [handed, f"{page} {handed}"]
    done = ran(entry, "papers", "-n")
    assert (done.returncode, done.stdout.strip()) == (0, "--config papers=all -n")


def test_the_entry_lets_no_second_config_hide_the_papers(entry: Project) -> None:
    done = ran(entry, "papers", "eppfl", "--config", "device=cpu")
    assert done.returncode == 2
    assert "--configfile" in done.stderr


def test_a_study_of_ones_own_makes_no_tables_of_a_paper(fresh: Project) -> None:
    """An experiment of one's own is of no paper; one of a paper's ends in its claims."""
    of_paper = {f"tables/{name}.csv" for name in ("methods", "language", "label_privacy")}
    of_paper |= {f"figures/{name}.svg" for name in ("packet_loss", "retransmission")}
    mine = {"experiments": {"mine": {"grids": [{"plr": [0.0, 0.5]}]}}}
    for experiment, of_paper_made in (("mine", 0), ("scarcity", 1)):
        study = mine | {"study": {"tasks": ["digits"], "experiments": [experiment]}}
        made = fresh.call("--summary", study=study).stdout
        assert f"results/digits/experiments/{experiment}.csv" in made
        assert ("papers/fbftl/tables/claims.csv" in made) == of_paper_made
        assert not [path for path in of_paper if f"papers/fbftl/{path}" in made]
    made = fresh.call("--summary", "--config", "papers=fbftl").stdout
    assert all(f"papers/fbftl/{path}" in made for path in of_paper)
