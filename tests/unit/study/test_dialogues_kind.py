"""Settings of the language task: what the workflow accepts, and which job it makes of it."""

import copy
from pathlib import Path

import pytest
import yaml
from fbftl.ground.errors import UserError
from fbftl.models.t5.head import ALL
from fbftl.study.config import Study, resolve
from fbftl.study.methods import axes_by_method
from fbftl.tasks.dialogue_job import from_params

CONFIG = """
study: {tasks: [digits, talks], experiments: [images, talks]}
tasks:
  digits:
    data: {kind: digits}
    source: {kind: pretrain, image: [8, 8, 1]}
    features: {cut: fc1}
  talks:
    kind: seq2seq
    data: {kind: dialogues}
    source:
      kind: pretrain
      model: {d_model: 8, d_kv: 4, d_ff: 8, num_heads: 2, num_layers: 2, num_decoder_layers: 1}
    features: {cut: 1, further_cuts: [2]}
experiments:
  images: {grids: [{method: [fl]}]}
  talks: {kind: seq2seq, grids: [{method: [fbftl, ftl_c], cut: [2, 1, null]}, {method: [ftl_f]}]}
"""


@pytest.fixture(scope="module")
def schema(root: Path) -> dict:
    return yaml.safe_load((root / "rules/schemas/config.schema.yaml").read_text())


def study(schema: dict, **axes: list) -> Study:
    config = yaml.safe_load(CONFIG)
    if axes:
        config["experiments"]["talks"]["grids"] = [axes]
    return resolve(config, schema)


def test_an_experiment_is_for_its_kind_of_task(schema: dict) -> None:
    settings = study(schema).settings
    assert list(settings["digits"]) == ["images"]
    assert list(settings["talks"]) == ["talks"]


def test_the_tasks_own_cut_needs_no_name(schema: dict) -> None:
    named = study(schema).settings["talks"]["talks"]
    assert list(named) == ["fbftl", "fbftl+cut=2", "ftl_c", "ftl_c+cut=2", "ftl_f"]


def test_a_job_knows_its_cut_and_its_plan(schema: dict) -> None:
    made = study(schema)
    jobs = {
        name: from_params(made.job("talks", name), axes_by_method())
        for name in made.settings["talks"]["talks"]
    }
    assert {name: job.cut for name, job in jobs.items()} == {
        "fbftl": 1, "fbftl+cut=2": 2, "ftl_c": 1, "ftl_c+cut=2": 2, "ftl_f": ALL,
    }  # fmt: skip
    assert jobs["fbftl"].plan.learning_rate == 2e-4
    assert jobs["fbftl"].selection == "validation"
    assert jobs["fbftl"].seeds == (0, 1, 2)


@pytest.mark.parametrize(
    ("axes", "said"),
    [
        ({"method": ["fl"]}, "choose its method among ftl_f, ftl_c, fbftl"),
        ({"bits": [8]}, "leave the axis 'bits' out"),
        ({"samples_per_client": [4]}, "leave the axis 'samples_per_client' out"),
        ({"plr": [0.5], "loss": ["reshuffled"]}, "leave the axis 'loss' out"),
        ({"method": ["ftl_c"], "plr": [0.5]}, "a packet loss rate is for fbftl"),
        ({"cut": [0]}, r"add its cut to tasks\.talks\.features\.further_cuts"),
    ],
)
def test_what_a_seq2seq_task_cannot_run_is_refused(schema: dict, axes: dict, said: str) -> None:
    with pytest.raises(UserError, match=f"task 'talks' is seq2seq .*; {said}"):
        study(schema, **axes)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("kind", "speech", "tasks.talks.kind is 'speech'; choose among images, seq2seq"),
        ("head", [64], "key 'tasks.talks.head' does not exist"),
        ("data.kind", "digits", "data.kind is 'digits'; choose among dialogues, jsonl"),
        ("features.cut", "fc1", "features.cut is 'fc1', not a integer"),
        ("clients.partition", "shards", "clients.partition is 'shards'; choose among iid"),
        ("training.momentum", 0.9, "key 'tasks.talks.training.momentum' does not exist"),
        ("training.warmup", 1.5, "training.warmup is 1.5; give at most 1"),
        ("training.learning_rate", "1e-4", "decimal point"),
        ("source.model.layers", 2, "key 'tasks.talks.source.model.layers' does not exist"),
    ],
)
def test_a_faulty_task_is_one_sentence(schema: dict, path: str, value: object, said: str) -> None:
    config = copy.deepcopy(yaml.safe_load(CONFIG))
    *folders, key = path.split(".")
    block = config["tasks"]["talks"]
    for folder in folders:
        block = block.setdefault(folder, {})
    block[key] = value
    with pytest.raises(UserError) as raised:
        resolve(config, schema)
    assert said in str(raised.value)


def test_an_image_task_knows_no_dialogue_keys(schema: dict) -> None:
    config = yaml.safe_load(CONFIG)
    config["tasks"]["digits"]["features"]["prefix"] = "summarize: "
    with pytest.raises(UserError, match=r"digits\.features\.prefix' does not exist"):
        resolve(config, schema)
