"""Several source networks of a task: what its repeats are, and who may not have any."""

import copy
from typing import Any

import pytest
from fbftl.ground.errors import UserError
from fbftl.study.config import Study, resolve
from fbftl.study.task_names import is_repeat, task_of
from fbftl.study.yaml_files import read_yaml

CONFIG = {
    "study": {"tasks": ["digits"], "experiments": ["scarcity"]},
    "tasks": {
        "digits": {
            "seeds": [2, 4, 3],
            "data": {"kind": "digits"},
            "source": {"kind": "pretrain", "image": [8, 8, 1], "seed": 7},
            "features": {"cut": "fc1"},
            "privacy": {"delta": 1.0e-6, "feature_clip": {"quantile": 0.5, "data": "source"}},
            "networks": {"cnn": {"kind": "cnn", "channels": [[4]], "fc": [8], "cut": "pool1"}},
        }
    },
    "experiments": {
        "scarcity": {
            "grids": [
                {"plr": [0.0, 0.5]},
                {"mechanism": ["gaussian"], "epsilon": [4]},
                {"method": ["fl"]},
            ]
        }
    },
}

FURTHER = ["digits/source_seeds/1", "digits/source_seeds/2"]


def study_of(sources: int | None, **task: Any) -> Study:
    """Return the study with so many source networks, and with changed blocks of its task."""
    config: dict[str, Any] = copy.deepcopy(CONFIG)
    config["tasks"]["digits"] |= task | ({} if sources is None else {"source_seeds": sources})
    return resolve(config)


def test_the_task_itself_is_the_same_with_further_sources():
    several, one = study_of(3), study_of(None)
    assert several.tasks == one.tasks == ["digits"]
    assert several.with_repeats(several.tasks) == ["digits", *FURTHER]
    assert one.with_repeats(one.tasks) == ["digits"]
    assert several.settings["digits"] == one.settings["digits"]
    for name in one.settings["digits"]["scarcity"]:
        assert several.job("digits", name) == one.job("digits", name)


def test_a_repeat_has_another_source_and_seeds_of_its_own():
    study = study_of(3)
    for number, name in enumerate(FURTHER, 1):
        assert (is_repeat(name), task_of(name)) == (True, "digits")
        assert study.settings[name] == study.settings["digits"]
        block, of_task = study.task(name), study.task("digits")
        assert block["source"] == of_task["source"] | {"seed": 7 + number}
        assert {key for key in block if block[key] != of_task[key]} == {"source", "seeds"}
        assert study.job(name, "fbftl")["task"] == name
    seeds = [seed for name in ("digits", *FURTHER) for seed in study.task(name)["seeds"]]
    assert seeds == [2, 4, 3, 5, 7, 6, 8, 10, 9]


@pytest.mark.parametrize(
    ("task", "sentence"),
    [
        (
            {"source": {"kind": "load", "from": "torchvision", "name": "resnet18"}},
            "is 3, but the source network is given (resnet18), not pre-trained here; leave",
        ),
        ({"source": {"kind": "vectors"}}, "has vectors and no source network"),
        (
            {"features": {"cut": "fc1", "store": "s3://bucket/digits.zarr"}},
            "features.store is one place for the features of one source",
        ),
    ],
)
def test_what_cannot_be_drawn_anew_is_refused(task, sentence):
    with pytest.raises(UserError) as refused:
        study_of(3, **task)
    assert str(refused.value).startswith("config: tasks.digits.source_seeds is 3")
    assert sentence in str(refused.value)
    study_of(1, **task)


def test_dialogues_have_one_source(root):
    config = read_yaml(root / "config.yaml")
    config["study"] = {"tasks": ["dialogues"], "experiments": ["language"]}
    config["tasks"]["dialogues"]["source_seeds"] = 2
    with pytest.raises(UserError, match=r"are drawn by tasks\.dialogues\.data\.seed"):
        resolve(config)
