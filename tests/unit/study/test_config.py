"""The configuration: defaults, references, and one sentence per fault."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from annotated_types import Ge, Gt, Le, Lt
from fbftl.ground.errors import UserError
from fbftl.study.config import resolve
from fbftl.study.settings import AXES

GOOD = """
study: {tasks: [digits], experiments: [scarcity]}
tasks:
  digits:
    data: {kind: digits}
    source: {kind: pretrain, image: [8, 8, 1]}
    features: {cut: fc1}
experiments:
  scarcity: {grids: [{fraction: [1, 0.1], plr: [0, 0.5], loss: [persistent, reshuffled]}]}
"""


def test_defaults_are_filled_and_the_input_left_alone():
    config = yaml.safe_load(GOOD)
    before = copy.deepcopy(config)
    study = resolve(config)
    assert config == before
    assert study.config["seeds"] == [0, 1, 2]
    assert study.task("digits")["training"]["momentum"] == 0.9
    assert len(study.settings["digits"]["scarcity"]) == 2 * (1 + 2)


@pytest.mark.parametrize(
    ("seeds", "sentence"),
    [
        ("9-0", "at least 1"),
        ("0-1000000", "list"),
        ("0-", "list"),
        ("-3-3", "list"),
        ("1-2 ", "list"),
    ],
)
def test_a_range_of_seeds_is_each_of_them(seeds, sentence):
    config = yaml.safe_load(GOOD)
    config["tasks"]["digits"]["seeds"] = "8-11"
    assert resolve(config).task("digits")["seeds"] == [8, 9, 10, 11]
    config["tasks"]["digits"]["seeds"] = seeds
    with pytest.raises(UserError, match=rf"tasks\.digits\.seeds.*{sentence}"):
        resolve(config)


def test_a_tilde_that_begins_a_path_is_the_user_s_folder():
    config = yaml.safe_load(GOOD) | {"data_folder": "../~/data"}
    config["tasks"]["digits"]["data"] = {"kind": "folder", "train": "~/pics"}
    study = resolve(config)
    assert study.config["data_folder"] == str(Path.home() / "data")
    assert study.task("digits")["data"]["train"] == str(Path.home() / "pics")


def test_a_grid_may_be_for_some_tasks_only():
    config = yaml.safe_load(GOOD)
    config["tasks"]["letters"] = copy.deepcopy(config["tasks"]["digits"])
    config["study"]["tasks"].append("letters")
    config["experiments"]["scarcity"]["grids"].append({"plr": [0.9], "tasks": ["letters"]})
    settings = resolve(config).settings
    added = set(settings["letters"]["scarcity"]) - set(settings["digits"]["scarcity"])
    assert added == {"fbftl+plr=0.9"}


def test_a_grid_for_a_task_that_is_not_there_is_refused():
    config = yaml.safe_load(GOOD)
    config["experiments"]["scarcity"]["grids"][0]["tasks"] = ["digit"]
    with pytest.raises(UserError, match=r"grids\.0\.tasks names the task 'digit'"):
        resolve(config)


def test_axes_of_an_experiment_replace_those_of_its_grids():
    config = yaml.safe_load(GOOD)
    config["experiments"]["scarcity"] = {
        "axes": {"plr": [0.2], "samples_per_client": [3]},
        "grids": [{"plr": [0.5, 0.9], "fraction": [0.5]}, {"samples_per_client": [4, 8]}],
    }
    names = set(resolve(config).settings["digits"]["scarcity"])
    assert names == {"fbftl+fraction=0.5+plr=0.2", "fbftl+samples_per_client=3"}


def test_methods_override_training():
    config = yaml.safe_load(GOOD)
    config["tasks"]["digits"]["methods"] = {"fbftl": {"epochs": 7}}
    study = resolve(config)
    assert study.job("digits", "fbftl")["training"]["epochs"] == 7
    assert study.task("digits")["training"]["epochs"] != 7


def changed(changes: dict[str, Any]) -> dict[str, Any]:
    """Return the good configuration with other values at dotted paths; ... removes one.

    A path that begins with @ is below the task, one with # below the grid.
    """
    config = yaml.safe_load(GOOD)
    for path, value in changes.items():
        full = path.replace("@", "tasks.digits.").replace("#", "experiments.scarcity.grids.0.")
        *above, key = full.split(".")
        node: Any = config
        for step in above:
            node = node[int(step)] if isinstance(node, list) else node.setdefault(step, {})
        if value is ...:
            del node[key]
        else:
            node[key] = value
    return config


GAUSSIAN = {"#mechanism": ["gaussian"]}
LONG = {f"#{axis}": [1 / 3] for axis in ("fraction", "blr", "keep", "sigma", "label_epsilon")}
LONG |= {"#plr": [0], "#loss": ["persistent"], "#mechanism": ["relative"], "#bits": [16]}
LONG |= {"#partition": ["dirichlet_equal"], "#alpha": [1 / 3], "#samples_per_client": [7]}
LONG |= {"#burst": [10 / 3], "#noise_draw": ["redrawn"], "#retransmissions": [9]}
TASK = yaml.safe_load(GOOD)["tasks"]
FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"seed": [1]}, "'seed' does not exist; did you mean 'seeds'"),
    ({"@data": ...}, "tasks.digits lacks the key 'data'"),
    ({"@data.kind": "digit"}, "tasks.digits.data.kind is 'digit'; choose among digits, idx"),
    ({"@training.optimiser": "rmsprop"}, "optimiser is 'rmsprop'; it should be 'sgd', 'nest"),
    ({"#bits": [33]}, "bits.0 is 33; it should be 1, 2"),
    ({"@clients.domains": ["plain", "foggy"]}, "domains.1 is 'foggy'; it should be 'plain'"),
    ({"@training.learning_rate": "1e-5"}, "is '1e-5'; it should be a valid number; YAML reads"),
    ({"@training.dropout": "on"}, "training.dropout is 'on'; it should be a valid bool"),
    ({"seeds": [2**63]}, f"seeds.0 is {2**63}; it should be less than"),
    ({"seeds": [1, 1]}, "seeds lists a value twice; remove one"),
    ({"experiments.scarcity.grids": [{}]}, "grids.0 is empty; give at least one axis"),
    ({"experiments.scarcity.axes": {"sigma": [1]}}, "axes.sigma replaces nothing, no grid of"),
    ({"@privacy.feature_clip": {}}, "feature_clip gives neither norm nor quantile; give one"),
    ({"@features.further_cuts": ["fc1"]}, "names its own cut 'fc1' among further_cuts"),
    ({"@features.store": "http://example.org/x"}, "store 'http://example.org/x'; give s3://, gs"),
    ({"@features.store": "s3://KEY:SECRET@b/x"}, "a store with credentials before its bucket"),
    ({"@features.cut": "{task}"}, "features.cut has the name '{task}'; use letters"),
    ({"tasks": TASK | {"../x": TASK["digits"]}}, "tasks has the name '../x'; use letters"),
    ({"tasks": TASK | {"t" * 300: TASK["digits"]}}, "it should have at most 100 characters"),
    ({"tasks": TASK | {"readme.md": TASK["digits"]}}, "'readme.md', which results/ reserves"),
    (LONG, "for its files, which take 200; round its values, or give the task what all settings"),
    ({"study.tasks": ["digit"]}, "names the task 'digit', which is not defined; did you mean 'd"),
    ({"#alpha": [0.5]}, "fbftl+alpha=0.5'; alpha is for the partitions dirichlet"),
    ({"#samples_per_client": [4], "#clients": [10]}, "gives both clients and samples_per_client"),
    (GAUSSIAN | {"#sigma": [1.0], "#epsilon": [4.0]}, "gives both sigma and epsilon"),
    (GAUSSIAN, "needs sigma or epsilon"),
    (GAUSSIAN | {"#method": ["fl"], "#epsilon": [4.0]}, "mechanism gaussian is for fbftl"),
    ({"#plr": [0.5], "#blr": [0.1], "#loss": ["persistent"]}, "gives both plr and blr"),
]


@pytest.mark.parametrize(("changes", "sentence"), FAULTS)
def test_a_fault_is_one_sentence(changes, sentence):
    with pytest.raises(UserError) as refused:
        resolve(changed(changes))
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def bounds(annotation: Any) -> Iterator[Any]:
    """Yield the bounds of an axis's numbers."""
    for part in (*get_args(annotation), *getattr(annotation, "__metadata__", ())):
        yield from bounds(part)
        yield from getattr(part, "metadata", ())
        if isinstance(part, Ge | Gt | Le | Lt):
            yield part


def test_every_number_of_an_axis_has_bounds():
    numbers = [axis for axis in AXES.values() if axis.type in (int, float) and not axis.listed]
    assert [axis.name for axis in numbers if not [*bounds(axis.annotation)]] == []


def test_more_settings_than_a_plan_holds_are_refused_before_any_is_made():
    values = [number / 1000 for number in range(1, 301)]
    config = yaml.safe_load(GOOD)
    config["experiments"]["scarcity"]["grids"] = [
        dict.fromkeys(("plr", "fraction", "keep"), values)
    ]
    with pytest.raises(UserError, match=r"27,\d{3},\d{3} settings is more than 10,000; split"):
        resolve(config)
