"""Tasks that are like another: its block with single keys changed; circles and unknown names."""

import copy
from typing import Any

import pytest
import yaml
from fbftl.ground.errors import UserError
from fbftl.study.config import resolve
from fbftl.study.systems import System

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
