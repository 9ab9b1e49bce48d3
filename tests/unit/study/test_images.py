"""Cuts and networks that settings of a task with images may name, and what their jobs are told."""

from typing import Any

from fbftl.ground.errors import UserError
from fbftl.study.clients import Dealing
from fbftl.study.grid import from_axes
from fbftl.study.kinds import images
from fbftl.study.settings import Setting

TASK: dict[str, Any] = {
    "features": {"cut": "relu_fc1", "further_cuts": ["fc1"]},
    "privacy": {"feature_clip": {"quantile": 0.5}, "training": {}},
    "clients": {"samples_per_client": 8, "clients": None},
    "training": {"epochs": 3, "dropout": False, "batch_norm": "frozen"},
    "methods": {},
    "head": [5],
    "networks": {
        "cnn": {"kind": "cnn", "channels": [[2]], "fc": [4], "norm": "batch", "cut": "pool1"},
        "mlp": {"kind": "mlp", "fc": [4], "norm": "none", "cut": "relu_fc1"},
    },
}


def settled(setting: Setting, task: dict[str, Any]) -> Setting:
    """Return a setting as the task runs it.

    Raises:
        UserError: if it cannot.
    """
    setting = images.settled(setting, task)
    for fault in images.faults(setting, "digits", task, Dealing.of(task["clients"], setting)):
        raise UserError(f"'{setting.name}'; {fault}")
    return setting


def names(*axes: dict[str, Any]) -> list[str]:
    return sorted({settled(from_axes(axis), TASK).name for axis in axes})


def test_the_own_cut_needs_no_naming() -> None:
    assert names({"cut": "relu_fc1"}, {}) == ["fbftl"]
    assert names({"cut": "fc1", "method": "ftl_c"}) == ["ftl_c+cut=fc1"]


def job_of(task: dict[str, Any] | None = None, **axes: Any) -> dict[str, Any]:
    task = TASK if task is None else TASK | task
    return images.job(settled(from_axes(axes), task), task)


def test_epochs_that_validation_finds_are_for_heads_that_a_server_trains() -> None:
    chosen = {"epochs": "validated", "validation": 0.1, "selection": "validation"}
    training = job_of({"training": chosen})["training"]
    assert (training["epochs"], training["until_settled"]) == (512, True)
    assert "until_settled" not in job_of({"training": chosen}, method="fedavg")["training"]
