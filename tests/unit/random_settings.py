"""Random settings over all methods on two toy tasks, and random configurations around them."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from fbftl.ground.errors import UserError
from fbftl.methods.by_name import train
from fbftl.study import methods
from fbftl.study.axes import Axis
from fbftl.study.config import Study, resolve
from fbftl.study.feasibility import Sizes, require_feasible
from fbftl.study.job import from_params
from fbftl.study.settings import AXES
from fbftl.training.tasks.task import Inputs, Outcome
from pydantic import TypeAdapter, ValidationError

SAMPLES = {"digits": 124, "people": 400}
SIZES = {"digits": Sizes(classes=10), "people": Sizes(classes=2)}

NO_WARNINGS = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),  # of runs that diverge, as some are to
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
"""Marks of tests whose runs may warn."""


NETWORKS = {
    "mlp": {"kind": "mlp", "fc": [8, 4], "cut": "relu_fc2", "last": "relu", "init": "he"},
    "cnn": {"kind": "cnn", "channels": [[4]], "fc": [4], "kernel": 3, "cut": "pool1"},
    "wide": {"kind": "mlp", "fc": [8], "cut": "relu_fc1"},
    "voted": {"kind": "mlp", "fc": [6], "cut": "relu_fc1"},
    "normed": {"kind": "mlp", "fc": [8], "cut": "relu_fc1", "norm": "batch"},
}
TRAINING = {"epochs": 2, "batch": 32, "clients_per_round": 3, "rounds": 2, "local_batch": 8}
PRIVACY = {
    "delta": 1e-5, "feature_clip": {"norm": 3.0}, "update_clip": 1.0, "gradient_clip": 2.0,
    "public_scale": {"norm": 10.0}, "activation_clip": 2.0, "training": {"epochs": 2},
}  # fmt: skip

LISTED: dict[str, list[Any]] = {
    "cut": ["relu_fc1", "fc1"],
    "fraction": [0.5, 0.05],
    "samples_per_client": [1, 8, 125],
    "clients": [1, 2, 7, 124],
    "plr": [0.3, 0.9],
    "keep": [0.1, 0.5],
    "epsilon": [0.001, 1.0, 20.0],
    "network": ["mlp", "cnn", "normed", "none"],
    "fraction_bits": [0, 20, 60],
    "resampled_per_round": [5, 124, 1000],
    "most_samples": [1, 3],
    "majority_users": [1, 3, 1000],
    "descent_steps": [1, 5],
    "projection": [2, 7],
    "components": [2, 50],
    "width": [0.25, 0.5],
    "vote_round": [1, 2, 9],
    "transfer_epochs": [1],
    "common_samples": [1, 10, 50, 1000],
    "aligned_dimensions": [2],
    "client_part": ["fc1", "relu_fc1"],
    "centroids": [1, 8, 200],
    "purchase": [1, 20, 200],
    "uploaders": [1, 50],
}
"""Values of axes for which their descriptions have none that fit these tasks, or too few."""


def described(axis: Axis) -> list[Any]:
    """Return values of an axis that differ from its default, by its description alone."""
    if axis.type is bool:
        return [not axis.default]
    near = () if axis.type is str else (axis.default or 0) + np.array([1, -1, 0.5, -0.5])
    values = [axis.type(value) for value in axis.listed or near]
    return [value for value in values if value != axis.default and valid(axis, value)]


def valid(axis: Axis, value: Any) -> bool:
    """Tell whether an axis may have a value."""
    try:
        TypeAdapter(axis.annotation).validate_python(value)
    except ValidationError:
        return False
    return True


VALUES = LISTED | {
    name: described(axis)
    for name, axis in AXES.items()
    if name not in {"method", "mechanism", *LISTED}
}
"""Values of every axis, those of one that is not listed by its description."""

WIDTHS = {"network": "wide", "width": 0.125}
NEEDED = {
    "one_shot": {"head": "ridge", "message": "features"},
    "ecos": {"purchase": 20, "centroids": 8},
    "private_gd": {"descent_steps": 3},
    "robust": {"network": "normed"},
    "splitmix": WIDTHS,
    "heterofl": WIDTHS,
    "sheterofl": WIDTHS,
    "fade": {"network": "mlp", "majority_users": 3},
    "fedvote": {"network": "voted"},
    "fedhealth": {"network": "mlp"},
    "eppfl": {"network": "mlp"},
}
"""What a method cannot do without."""

BESIDE = {
    "alpha": {"partition": "dirichlet"},
    "burst": {"blr": 0.2, "burst": 3.0},
    "retransmissions": {"blr": 0.2},
    "loss": {"plr": 0.3},
    "feedback": {"bits": 8},
    "sigma": {"mechanism": None, "epsilon": "none"},
    "epsilon": {"mechanism": None},
    "schedule": {"mechanism": None, "decay": 3.0},
    "projection": {"message": "projected"},
    "means_per_class": {"message": "means"},
    "components": {"message": "mixtures"},
    "covariance": {"message": "mixtures"},
    "vote_round": {"vote_candidates": "all"},
    "vote_candidates": {"vote_round": 1},
    "client_part": {"network": "mlp"},
    "kept_gradients": {"keep_gradients": 0.5},
    "coral_weight": {"adaptation_epochs": 1},
    "discriminator_rate": {"adversary": "plain"},
    "discriminator_sees": {"adversary": "squared"},
    "discriminator_steps": {"adversary": "plain"},
    "opt_out": {"adversary": "plain"},
}
"""What gives an axis an effect; without it most settings would be refused for that alone."""


VARIED: dict[str, list[Any]] = {
    "training.epochs": [1, 3],
    "training.batch": [1, 7, 1000],
    "training.clients_per_round": [1, 2, 4, 5],
    "training.learning_rate": [1e-6, 0.5, 1e4],
    "training.momentum": [0.0, 0.9],
    "training.weight_decay": [0.0, 0.1],
    "training.validation": [0.0, 0.3, 0.9],
    "training.selection": ["validation", "test", "last"],
    "training.dropout": [True],
    "training.batch_norm": ["batch"],
    "training.rounds": [1, 3],
    "training.local_batch": [1, 2, 1000, None],
    "training.optimiser": ["adam", "adadelta"],
    "training.decay": [0.5],
    "training.annealing": ["cosine", "steps"],
    "training.absent_classes": ["masked"],
    "training.server_learning_rate": [0.01],
    "training.server_batch": [1, 16],
    "head": [[], [3], [4, 4]],
    "privacy.feature_clip": [{"norm": 1e-3}, {"norm": 1e6}, {"quantile": 0.5}],
    "privacy.update_clip": [1e-3],
    "privacy.delta": [0.1, 1e-12],
    "seeds": [[5], [0, 1]],
    "networks.mlp.dropout": [0.5],
    "networks.cnn.norm": ["batch"],
}
"""Values of a task's keys."""


def random_block(rng: np.random.Generator) -> dict[str, Any]:
    """Return up to three keys of a task's block, by their path, with values of theirs."""
    keys = rng.permutation(list(VARIED))[: rng.integers(1, 4)]
    return {str(key): VARIED[key][rng.integers(len(VARIED[key]))] for key in keys}


def configuration(
    axes: Mapping[str, Any], block: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any]:
    """Return a study of one setting on the task that its method runs on.

    Args:
        axes: of the setting.
        block: values of the task's block that differ, by path.
    """
    task = "people" if axes["method"] == "fade" else "digits"
    last = {"validation": 0.0, "selection": "last", "batch_norm": "batch"}
    training = TRAINING | (last if axes["method"] in ("fade", "robust") else {})
    common = {
        "head": [5], "training": training, "privacy": PRIVACY, "networks": NETWORKS, "seeds": [0],
        "clients": {"partition": "iid", "clients": 4, "samples_per_client": None},
    }  # fmt: skip
    digits = {
        "data": {"kind": "digits", "limit": {"train": 124, "test": 30}},
        "source": {
            "kind": "pretrain", "image": [8, 8, 1], "network": {"channels": [[3], [4]], "fc": [6]},
        },
        "features": {"cut": "relu_fc1", "further_cuts": []},
        "source_models": {"network": "voted", "models": {"digits": "target", "noise": "random"}},
        "architectures": ["mlp", "cnn"],
    }  # fmt: skip
    people = {
        "data": {"kind": "groups", "samples": 400, "test_per_group": 200, "rates": [0.5, 0.5]},
        "source": {"kind": "vectors"},
        "features": {"cut": "columns", "further_cuts": []},
    }
    block_of_task: dict[str, Any] = copy.deepcopy(common | (digits if task == "digits" else people))
    for path, value in block.items():
        *above, last_key = path.split(".")
        node = block_of_task
        for key in above:
            node = node.setdefault(key, {})
        node[last_key] = copy.deepcopy(value)
    grid = {axis: [None if value == "none" else value] for axis, value in axes.items()}
    return {
        "study": {"tasks": [task], "experiments": ["asked"]},
        "tasks": {task: block_of_task},
        "experiments": {"asked": {"grids": [grid]}},
    }


def random_axes(rng: np.random.Generator, method: str) -> dict[str, Any]:
    """Return a method with what it cannot do without and up to four axes that it knows."""
    record = methods.record(method)
    axes_known = [axis for axis in VALUES if record.knows(axis)]
    chosen = rng.permutation(axes_known)[: rng.integers(0, 5)]
    axes = {str(axis): VALUES[axis][rng.integers(len(VALUES[axis]))] for axis in chosen}
    for axis in list(axes) if rng.random() < 0.8 else ():
        axes |= {a: v for a, v in BESIDE.get(axis, {}).items() if record.knows(a)}
    if "mechanism" in axes or (len(record.mechanisms) > 1 and rng.random() < 0.3):
        axes["mechanism"] = str(rng.choice(record.mechanisms[1:]))
        parameter = "sigma" if axes["mechanism"] == "relative" else "epsilon"
        axes |= {parameter: axes[parameter] if axes.get(parameter, "none") != "none" else 0.5}
        axes |= {"laplace_sensitivity": "clip"} if axes["mechanism"] == "laplace" else {}
    return {"method": method} | NEEDED.get(method, {}) | axes


def planned(axes: Mapping[str, Any], block: Mapping[str, Any] = MappingProxyType({})) -> Study:
    """Return the study of a setting after the checks that the plan makes.

    Raises:
        UserError: if the plan refuses it.
    """
    study = resolve(configuration(axes, block))
    (task,) = study.tasks
    require_feasible(study, task, SAMPLES[task], sizes=SIZES[task], public=SAMPLES[task])
    return study


@dataclass(frozen=True)
class Answer:
    """What became of a setting: it ran, or who refused it and why."""

    axes: Mapping[str, Any]
    refused: str = ""
    sentence: str = ""
    outcome: Outcome | None = None
    study: Study | None = None


def answered(
    axes: Mapping[str, Any], files: Mapping[str, Inputs],
    block: Mapping[str, Any] = MappingProxyType({}),
) -> Answer:  # fmt: skip
    """Plan a setting and train it if the plan lets it pass; what is no UserError comes through."""
    try:
        study = planned(axes, block)
    except UserError as refusal:
        return Answer(axes, "plan", str(refusal))
    (task,) = study.tasks
    (name,) = study.settings[task]["asked"]
    job = from_params(study.job(task, name), methods.axes_by_method())
    try:
        (outcome,) = train([job], files[task])
    except UserError as refusal:
        return Answer(axes, "job", str(refusal), study=study)
    return Answer(axes, outcome=outcome, study=study)


def silent_differences(answer: Answer) -> list[str]:
    """Return the axes that were asked for and that the setting which ran does not have."""
    (task,) = answer.study.tasks
    (setting,) = answer.study.settings[task]["asked"].values()
    return [
        axis
        for axis, value in answer.axes.items()
        if getattr(setting, axis) != (None if value == "none" else value)
        and not (axis == "cut" and getattr(setting, axis) is None)
        and not (axis == "schedule" and setting.schedule == "exp")
    ]
