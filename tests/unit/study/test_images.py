"""Cuts and networks that settings of a task with images may name, and what their jobs are told."""

from typing import Any

import pytest
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


@pytest.mark.parametrize(
    ("axes", "sentence"),
    [
        ({"cut": "fc2"}, "add its cut to tasks.digits.features.further_cuts"),
        ({"cut": "fc1", "mechanism": "gaussian", "epsilon": 1.0}, "feature_clip a norm"),
    ],
)
def test_a_cut_without_features_is_refused(axes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        names(axes)


def job_of(task: dict[str, Any] | None = None, **axes: Any) -> dict[str, Any]:
    task = TASK if task is None else TASK | task
    return images.job(settled(from_axes(axes), task), task)


def test_a_job_is_told_its_own_network_only() -> None:
    assert job_of(method="sfl", network="cnn")["block"]["network"] == TASK["networks"]["cnn"]
    assert "network" not in job_of(method="sfl")["block"]
    assert names({"method": "fl", "network": "mlp"}) == ["fl+network=mlp"]


def test_only_jobs_that_train_a_network_are_told_how_it_acts_meanwhile() -> None:
    training = TASK["training"] | {"dropout": True, "batch_norm": "batch"}
    for method in ("fl", "sfl", "ftl_f"):
        assert job_of({"training": training}, method=method)["training"] == training
    for method in ("fbftl", "ftl_c", "released"):
        assert job_of({"training": training}, method=method)["training"] == {"epochs": 3}


def test_an_unknown_network_is_refused_naming_those_known() -> None:
    with pytest.raises(
        UserError, match=r"fl\+network=cn'; the networks in .*networks are: cnn, mlp"
    ):
        job_of(method="fl", network="cn")
    with pytest.raises(UserError, match=r"tasks.digits.networks are: none"):
        job_of({"networks": {}}, method="fl", network="cnn")


def test_values_for_networks_are_refused_where_no_client_trains_one() -> None:
    faults = {"methods": {"ftl_c": {"dropout": True}}}
    with pytest.raises(UserError, match=r"methods.ftl_c.dropout has no effect.*: fl, sfl, ftl_f"):
        job_of(faults, method="ftl_c")
    job_of(faults, method="fl")


def test_epochs_that_validation_finds_are_for_heads_that_a_server_trains() -> None:
    chosen = {"epochs": "validated", "validation": 0.1, "selection": "validation"}
    training = job_of({"training": chosen})["training"]
    assert (training["epochs"], training["until_settled"]) == (512, True)
    assert "until_settled" not in job_of({"training": chosen}, method="fedavg")["training"]
    for changed, axes, sentence in (
        ({}, {"method": "ftl_c"}, "give tasks.digits.methods.ftl_c.epochs a number"),
        ({"validation": 0.0}, {}, "goes by held-out samples"),
        ({}, {"loss": "reshuffled", "plr": 0.5}, "would change what is lost"),
    ):
        with pytest.raises(UserError, match=sentence):
            job_of({"training": chosen | changed}, **axes)


LOCAL = {"rounds": 9, "local_batch": 4, "optimiser": "adam"}


def test_only_jobs_with_local_epochs_are_told_of_rounds_batches_and_optimiser() -> None:
    training = TASK["training"] | LOCAL
    assert job_of({"training": training}, method="fedavg", local_epochs=5)["training"] == training
    for method in ("fl", "sfl", "ftl_f"):
        assert job_of({"training": training}, method=method)["training"] == TASK["training"]


@pytest.mark.parametrize(
    ("method", "values", "sentence"),
    [
        ("fl", {"optimiser": "adam"}, "fl.optimiser has no effect.*with local epochs: fedavg"),
        ("fbftl", {"rounds": 4}, "fbftl.rounds has no effect.*with local epochs: fedavg"),
        ("fedavg", {"epochs": 4}, "fedavg.epochs has no effect.*where this one has rounds: fl,"),
    ],
)
def test_training_values_without_meaning_are_refused(
    method: str, values: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(UserError, match=sentence):
        job_of({"methods": {method: values}}, method=method)


@pytest.mark.parametrize("chosen", [{"selection": "validation"}, {"validation": 0.1}])
def test_no_epoch_is_chosen_on_samples_that_noise_on_updates_leaves_open(chosen) -> None:
    training = TASK["training"] | {"selection": "last", "validation": 0.0}
    private = {"method": "fl", "mechanism": "dp_fedavg", "epsilon": 1.0}
    settled(from_axes(private), TASK | {"training": training})
    with pytest.raises(UserError, match="outside of its guarantee"):
        settled(from_axes(private), TASK | {"training": training | chosen})


def test_batches_of_one_sample_have_no_statistics() -> None:
    by_batch = {"methods": {"fl": {"batch_norm": "batch"}}}
    with pytest.raises(UserError, match=r"local_batch at least 2, or training.batch_norm"):
        job_of(by_batch, method="fl", network="cnn", samples_per_client=1)
    job_of(by_batch, method="fl", network="cnn")
    one_each = by_batch | {"clients": {"samples_per_client": 1, "clients": None}}
    job_of(one_each, method="fl", network="cnn", clients=3)
    with pytest.raises(UserError, match="has no statistics"):
        job_of(one_each, method="fl", network="cnn")
    job_of(by_batch, method="fl", network="mlp", samples_per_client=1)
    job_of(method="fl", network="cnn", samples_per_client=1)
    steps = {"methods": {"fedavg": {"batch_norm": "batch", "local_batch": 1}}}
    with pytest.raises(UserError, match="has no statistics"):
        job_of(steps, method="fedavg", network="cnn")
    job_of(steps, method="fedavg", network="mlp")


ROBUST = TASK["training"] | {"rounds": 2, "batch_norm": "batch", "selection": "last"}
ROBUST |= {"annealing": "none", "absent_classes": "counted", "validation": 0.0}


@pytest.mark.parametrize(
    ("task", "axes", "sentence"),
    [
        ({"source": {"kind": "vectors"}}, {"network": "cnn"}, "would be another threat"),
        ({}, {"network": "mlp"}, "name a network with norm: batch"),
        ({"training": ROBUST | {"batch_norm": "frozen"}}, {"network": "cnn"}, "norm: batch"),
        ({"training": ROBUST | {"selection": "best"}}, {"network": "cnn"}, "selection: last"),
        ({"features": {"size": 32}}, {"network": "cnn"}, "features.size: null"),
        (
            {"training": ROBUST | {"absent_classes": "masked"}},
            {"network": "cnn"},
            "leave training.absent_classes out",
        ),
    ],
)
def test_disturbed_inputs_are_refused_where_nothing_can_be_disturbed(task, axes, sentence) -> None:
    usual = {"source": {"kind": "pretrain"}, "training": ROBUST}
    usual["features"] = TASK["features"] | {"size": None}
    task = task | {"features": usual["features"] | task.get("features", {})}
    with pytest.raises(UserError, match=sentence):
        job_of(usual | task, method="robust", **axes)
