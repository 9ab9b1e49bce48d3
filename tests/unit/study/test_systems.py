"""Studies of systems: known to every call, chosen by paper, each name told once."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from fbftl.ground.errors import UserError
from fbftl.study.config import Study, resolve
from fbftl.study.systems import System, read_systems

TASK = {
    "data": {"kind": "digits"},
    "source": {"kind": "pretrain", "image": [8, 8, 1]},
    "features": {"cut": "fc1"},
}


def study(*names: str, task: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a study whose task and experiment are named after it, one for each name."""
    return {
        "study": {
            "tasks": [f"{name}-digits" for name in names],
            "experiments": [f"{name}_sweep" for name in names],
        },
        "tasks": {f"{name}-digits": TASK | (task or {}) for name in names},
        "experiments": {f"{name}_sweep": {"grids": [{"plr": [0.0, 0.5]}]} for name in names},
    }


def system(name: str, paper: str) -> System:
    """Return a system of a paper with a task and an experiment of its own."""
    return System(name, paper, **study(name))


SYSTEMS = [system("ant", "toys"), system("bee", "toys"), system("cat", "others")]


def experiments_by_task(of: Study) -> dict[str, list[str]]:
    """Return the experiments that a study makes by task."""
    return {task: list(experiments) for task, experiments in of.settings.items()}


def made_of(study: Study, paper: str) -> dict[str, list[str]]:
    """Return those of them that are of a paper."""
    experiments = {
        task: [name for name in names if study.paper[name] == paper]
        for task, names in experiments_by_task(study).items()
    }
    return {task: names for task, names in experiments.items() if names}


OF_TOYS = {"paper": "toys"}
OWN = {"own-digits": ["own_sweep"]}
TOYS = {"ant-digits": ["ant_sweep"], "bee-digits": ["bee_sweep"]}
OTHERS = {"cat-digits": ["cat_sweep"]}


@pytest.mark.parametrize(
    ("papers", "expected"),
    [
        (None, OWN),
        ("fbftl", OWN),
        ("toys", TOYS),
        (["others", "toys"], OTHERS | TOYS),
        ("all", OWN | TOYS | OTHERS),
    ],
)
def test_papers_choose_whose_block_is_made(papers, expected):
    resolved = resolve(study("own") | {"papers": papers}, SYSTEMS)
    assert experiments_by_task(resolved) == expected
    by_paper = {"fbftl": OWN, "toys": TOYS, "others": OTHERS}
    assert {paper: made_of(resolved, paper) for paper in resolved.papers} == {
        paper: of_paper
        for paper, of_paper in by_paper.items()
        if of_paper.keys() <= expected.keys()
    }


def test_every_call_knows_all_tasks_and_a_study_laid_over_changes_them():
    config = study("own")
    config["study"] = {"tasks": ["ant-digits"], "experiments": ["ant_sweep", "own_sweep"]}
    config["tasks"]["ant-digits"] = {"head": [5]}
    config["experiments"]["ant_sweep"] = {"grids": [{"plr": [0.9]}]}
    resolved = resolve(config, SYSTEMS)
    assert resolved.task("ant-digits")["head"] == [5]
    assert resolved.task("ant-digits")["features"]["cut"] == "fc1"
    assert list(resolved.settings["ant-digits"]["ant_sweep"]) == ["fbftl+plr=0.9"]
    assert made_of(resolved, "toys") == {"ant-digits": ["ant_sweep"]}
    assert made_of(resolved, "fbftl") == {"ant-digits": ["own_sweep"]}


def test_a_paper_without_a_study_is_refused():
    with pytest.raises(UserError, match="names 'toy', which has no study; choose among fbftl, toy"):
        resolve(study("own") | {"papers": "toy"}, SYSTEMS)


def test_a_block_that_names_nothing_known_is_refused_by_its_file():
    unknown = System("dog", "toys", **(study("dog") | {"tasks": {}}))
    with pytest.raises(UserError, match=r"^studies/dog.yaml: study.tasks names the task 'dog-di"):
        resolve(study("own") | {"papers": "toys"}, [unknown])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a default study, one of the system `ant` and one that is of no paper."""
    (tmp_path / "studies").mkdir()
    write(tmp_path / "config.yaml", study("own"))
    write(tmp_path / "studies/ant.yaml", OF_TOYS | study("ant"))
    write(tmp_path / "studies/own.yaml", study("ant"))
    return tmp_path


def write(path: Path, content: Any) -> None:
    path.write_text(yaml.safe_dump(content), encoding="utf-8")


def test_systems_of_papers_are_read(folder):
    assert read_systems(folder) == [system("ant", "toys")]


@pytest.mark.parametrize("what", ["task", "experiment"])
def test_a_name_that_two_studies_tell_is_refused(folder, what):
    twice = OF_TOYS | study("ant")
    twice[f"{what}s"] |= study("own")[f"{what}s"]
    write(folder / "studies/ant.yaml", twice)
    with pytest.raises(
        UserError, match=rf"the {what} 'own.*' is defined by config.yaml and by studies/ant.yaml"
    ):
        read_systems(folder)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (OF_TOYS | study("ant") | {"seeds": [0]}, "studies/ant.yaml: key 'seeds' does not exist"),
        (
            OF_TOYS | {"study": study("ant")["study"], "tasks": {}},
            "the top level lacks the key 'exper",
        ),
    ],
)
def test_a_file_that_says_anything_else_is_refused(folder, content, sentence):
    write(folder / "studies/ant.yaml", content)
    with pytest.raises(UserError, match=sentence):
        read_systems(folder)
