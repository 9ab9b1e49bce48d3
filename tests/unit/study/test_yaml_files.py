"""Configuration files: nothing that they say is dropped; tasks that are like another."""

import copy
from typing import Any

import pytest
import yaml
from fbftl.ground.errors import UserError
from fbftl.study.config import resolve
from fbftl.study.systems import System
from fbftl.study.yaml_files import read_config_file, read_yaml


def test_files_are_read_as_yaml_says(root):
    for path in (root / "config.yaml", *root.glob("studies/*.yaml")):
        assert read_yaml(path) == yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: 1\nb: 2\na: 3\n", "the key 'a' is given twice, again in line 3"),
        ("a: [1\n", "cannot be read as YAML"),
        ("seeds: [" + "9" * 5000 + "]\n", "cannot be read as YAML"),
        ("a: " + "[" * 3000 + "\n", "cannot be read as YAML"),
        ("? [1, 2]\n: 3\n", "cannot be read as YAML"),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path, text, sentence):
    path = tmp_path / "study.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=sentence):
        read_yaml(path)


def test_a_merged_key_may_be_told_again(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text("base: &base {a: 1}\nmore:\n  <<: *base\n  a: 2\n", encoding="utf-8")
    assert read_yaml(path)["more"] == {"a": 2}


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"none\.yaml"):
        read_yaml(tmp_path / "none.yaml")


@pytest.mark.parametrize("text", ["[]\n", "5\n", "", "word\n"])
def test_a_configuration_without_keys_is_refused(tmp_path, text):
    path = tmp_path / "study.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"study\.json holds no keys"):
        read_config_file(path)


def test_a_target_after_a_configuration_is_told_from_a_file(tmp_path):
    with pytest.raises(UserError, match=r"no file .*layers; .* name targets before"):
        read_config_file(tmp_path / "layers")


CONFIG = """
study: {tasks: [digits, few], experiments: [scarcity]}
tasks:
  digits:
    data: {kind: digits, test_fraction: 0.3}
    source: {kind: pretrain, image: [8, 8, 1]}
    features: {cut: fc1, further_cuts: [fc2]}
    training: {epochs: 7, batch: 32}
  few: {like: digits, seeds: [5], training: {epochs: 2}, features: {further_cuts: []}}
  fewer: {training: {epochs: 1}, like: few}
experiments:
  scarcity: {grids: [{plr: [0, 0.5]}]}
"""


@pytest.fixture
def config() -> dict[str, Any]:
    """Three tasks, of which each is like the one before it."""
    return yaml.safe_load(CONFIG)


def test_single_keys_change_and_lists_are_replaced_whole(config):
    before = copy.deepcopy(config)
    study = resolve(config)
    digits, few = study.task("digits"), study.task("few")
    assert few == digits | {
        "seeds": [5],
        "training": digits["training"] | {"epochs": 2},
        "features": digits["features"] | {"further_cuts": []},
    }
    assert config == before
    assert study.job("few", "fbftl")["training"]["batch"] == 32


def test_a_task_may_be_like_that_of_a_system(config):
    system = System("ant", "toys", {}, {"ants": config["tasks"]["digits"]}, {})
    config["tasks"]["few"]["like"] = "ants"
    assert resolve(config, [system]).task("few")["data"]["test_fraction"] == 0.3


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ("digit", r"tasks\.few\.like names the task 'digit', .* did you mean 'digits'\?"),
        (7, r"tasks\.few\.like names the task 7, which is not defined"),
        (None, r"tasks\.few\.like names the task None"),
        ("few", "is circular: few, which is like few; write out"),
        ("fewer", r"is circular: few, which is like fewer, which is like few; write out"),
    ],
)
def test_unknown_names_and_circles_are_refused(other, sentence, config):
    config["tasks"]["few"]["like"] = other
    with pytest.raises(UserError, match=sentence):
        resolve(config)
