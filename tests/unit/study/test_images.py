"""Cuts and networks that settings of a task with images may name, and what their jobs are told."""

from dataclasses import replace

import pytest
import yaml
from fbftl.ground.errors import UserError
from fbftl.study.config import Study, resolve
from fbftl.study.feasibility import Sizes, require_feasible
from fbftl.study.job import from_params
from fbftl.study.methods import axes_by_method

CONFIG = """
study: {tasks: [digits, talks], experiments: [images, talks]}
tasks:
  digits:
    data: {kind: digits}
    source: {kind: pretrain, image: [8, 8, 1]}
    features: {cut: fc1}
  talks:
    kind: dialogues
    data: {kind: dialogues}
    source:
      kind: pretrain
      model: {d_model: 8, d_kv: 4, d_ff: 8, num_heads: 2, num_layers: 2, num_decoder_layers: 1}
    features: {cut: 1, further_cuts: [2]}
experiments:
  images: {grids: [{method: [fl]}]}
  talks: {kind: dialogues, grids: [{method: [fbftl, ftl_c], cut: [2, 1, null]}, {method: [ftl_f]}]}
"""


def study(**axes: list) -> Study:
    config = yaml.safe_load(CONFIG)
    if axes:
        config["experiments"]["talks"]["grids"] = [axes]
    return resolve(config)


def test_an_experiment_is_for_its_kind_of_task():
    settings = study().settings
    assert list(settings["digits"]) == ["images"]
    assert list(settings["talks"]) == ["talks"]


def test_the_tasks_own_cut_needs_no_name():
    named = study().settings["talks"]["talks"]
    assert list(named) == ["fbftl", "fbftl+cut=2", "ftl_c", "ftl_c+cut=2", "ftl_f"]


def test_a_job_knows_its_cut_and_its_plan():
    resolved = study()
    jobs = {
        name: from_params(resolved.job("talks", name), axes_by_method())
        for name in resolved.settings["talks"]["talks"]
    }
    assert {name: job.block["cut"] for name, job in jobs.items()} == {
        "fbftl": 1, "fbftl+cut=2": 2, "ftl_c": 1, "ftl_c+cut=2": 2, "ftl_f": 1,
    }  # fmt: skip
    assert jobs["fbftl"].training.learning_rate == 2e-4
    assert jobs["fbftl"].training.selection == "validation"
    assert jobs["fbftl"].seeds == (0, 1, 2)


@pytest.mark.parametrize(
    ("axes", "sentence"),
    [
        ({"method": ["fl"]}, "choose the method among ftl_f, ftl_c, fbftl"),
        ({"plr": [0.5], "loss": ["reshuffled"]}, "the axis 'loss': leave it out"),
        (
            {"method": ["ftl_c"], "mechanism": ["dp_fedavg"], "epsilon": [2]},
            "choose the mechanism among none, relative, gaussian",
        ),
        ({"alpha": [0.1]}, "alpha is for the partitions .*: leave it out"),
    ],
)
def test_what_a_task_of_dialogues_cannot_run_is_refused(axes, sentence):
    with pytest.raises(UserError, match=f"task 'talks' cannot run .*; .*{sentence}"):
        study(**axes)


def test_memories_of_dialogues_that_fit_nowhere_are_refused():
    resolved = study(method=["ftl_c", "ftl_f"], bits=[2])
    sizes = Sizes(heads={"1": 10**5}, networks={None: 10**6})
    require_feasible(resolved, "talks", 600, sizes=sizes)
    with pytest.raises(UserError, match=r"'ftl_f\+bits=2' on talks has 300 clients remember 6 GB"):
        require_feasible(resolved, "talks", 600, sizes=replace(sizes, networks={None: 5 * 10**6}))
    with pytest.raises(UserError, match=r"'ftl_c\+bits=2' on talks has 300 clients remember 6 GB"):
        require_feasible(resolved, "talks", 600, sizes=replace(sizes, heads={"1": 5 * 10**6}))


def test_a_clip_norm_lets_dialogues_be_gaussian():
    config = yaml.safe_load(CONFIG)
    config["tasks"]["talks"]["privacy"] = {"feature_clip": {"norm": 3.0}}
    config["experiments"]["talks"]["grids"] = [{"mechanism": ["gaussian"], "epsilon": [2]}]
    resolved = resolve(config)
    (name,) = resolved.settings["talks"]["talks"]
    assert resolved.job("talks", name)["privacy"] == {"delta": 1e-5, "feature_clip": {"norm": 3.0}}
    assert not resolved.needs_public("talks", resolved.setting("talks", name))
