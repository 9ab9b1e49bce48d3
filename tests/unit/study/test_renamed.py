"""An old name of an axis or a key is refused with the new one, and noise keeps its keys."""

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from fbftl.ground.errors import UserError
from fbftl.study.config import resolve
from fbftl.study.job import from_params
from fbftl.study.methods import axes_by_method
from fbftl.study.release import release_of, spelled
from fbftl.study.renamed import AXES as RENAMED
from fbftl.study.renamed import KEYS, by_first_names, require_new_names
from fbftl.study.settings import AXES
from fbftl.study.yaml_files import read_yaml


@pytest.fixture
def config(root: Path) -> dict[str, Any]:
    return read_yaml(root / "config.yaml")


@pytest.mark.parametrize("old", RENAMED)
def test_an_old_axis_in_a_grid_is_refused_with_the_new_one(
    config: dict[str, Any], schema: dict[str, Any], old: str
) -> None:
    config["experiments"]["methods"]["grids"][0][old] = [1]
    refusal = (
        rf"^config: the key 'experiments.methods.grids.0.{old}' .* {' or '.join(RENAMED[old])}$"
    )
    with pytest.raises(UserError, match=refusal):
        resolve(config, schema)


@pytest.mark.parametrize("path", KEYS, ids=".".join)
def test_an_old_key_is_refused_with_the_new_one(
    config: dict[str, Any], schema: dict[str, Any], path: tuple[str, ...]
) -> None:
    *above, key = ["digits" if name == "*" else name for name in path]
    block = config
    for name in above:
        block = block.setdefault(name, {})
    block[key] = {}
    refusal = rf"^config: the key '{'.'.join([*above, key])}' .* call it {KEYS[path]}$"
    with pytest.raises(UserError, match=refusal):
        resolve(config, schema)


def test_every_new_name_exists_and_no_old_one_does(schema: dict[str, Any]) -> None:
    assert {name for names in RENAMED.values() for name in names} <= AXES.keys()
    assert not RENAMED.keys() & AXES.keys()
    task = schema["$defs"]["task_images"]["properties"]
    keys = {"": schema["properties"], "*": task, "outsourcing": schema["$defs"]["outsourcing"]}
    keys["outsourcing"] = keys["outsourcing"]["properties"]
    for path, new in KEYS.items():
        there = keys["".join(path[-2:-1])]
        assert new in there
        assert path[-1] not in there


@pytest.mark.parametrize(
    "config", [{}, {"tasks": None, "experiments": [1]}, {"experiments": {"a": 1}}]
)
def test_what_is_no_configuration_is_for_the_schema_to_refuse(config: dict[str, Any]) -> None:
    require_new_names(config)


def test_a_release_is_spelled_by_first_names_at_every_depth() -> None:
    block = {"adversarial_game": {"points": 3}, "outsourcing": {"teacher_weight": 0.1}, "head": [4]}
    first = {"game": {"points": 3}, "outsourcing": {"distilled": 0.1}, "head": [4]}
    assert by_first_names(block) == first


def test_noise_of_training_stays_keyed_by_the_first_names() -> None:
    setting = {"method": "private_gd", "mechanism": "dp_gd", "sigma": 3.0}
    training = {
        "epochs": 3, "batch": 8, "clients_per_round": 5, "learning_rate": 0.1, "momentum": 0.5,
        "weight_decay": 0.0, "validation": 0.0, "selection": "last",
    }  # fmt: skip
    facts = {
        "kind": "rounds", "clients": {"clients": 4}, "training": training,
        "privacy": {"gradient_clip": 1.0}, "block": {"head": []},
    }  # fmt: skip
    now = {"descent_steps": 5, "descent_momentum": 0.9, "neighbour_relation": "replaced"}
    first = {"steps": 5, "momentum": 0.9, "neighbours": "replaced"}
    params = facts | {"task": "toy", "kind": "images", "seeds": [0], "setting": setting | now}
    expected = spelled(facts | {"setting": setting | first})
    released = release_of(from_params(params, axes_by_method()))
    assert released == sha256(expected.encode()).hexdigest()
