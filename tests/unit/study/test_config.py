"""The configuration: defaults, references, and one sentence per fault."""

import copy
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from fbftl.ground.errors import UserError
from fbftl.study.config import resolve
from fbftl.study.places import require_plain_place
from fbftl.study.systems import read_systems

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


def test_defaults_are_filled_and_the_input_left_alone() -> None:
    config = yaml.safe_load(GOOD)
    before = copy.deepcopy(config)
    study = resolve(config)
    assert config == before
    assert study.config["seeds"] == [0, 1, 2]
    assert study.task("digits")["training"]["momentum"] == 0.9
    assert len(study.settings["digits"]["scarcity"]) == 2 * (1 + 2)


def test_a_tilde_that_begins_a_path_is_the_user_s_folder() -> None:
    config = yaml.safe_load(GOOD) | {"data_folder": "../~/data"}
    config["tasks"]["digits"]["data"] = {"kind": "folder", "train": "~/pics"}
    study = resolve(config)
    assert study.config["data_folder"] == str(Path.home() / "data")
    assert study.task("digits")["data"]["train"] == str(Path.home() / "pics")


def test_a_project_whose_path_has_braces_is_refused() -> None:
    require_plain_place(Path("/some/place"))
    with pytest.raises(UserError, match=r"lies in /some/\{x\}/fbftl, and .* rename or move"):
        require_plain_place(Path("/some/{x}/fbftl"))


def test_a_grid_may_be_for_some_tasks_only() -> None:
    config = yaml.safe_load(GOOD)
    config["tasks"]["letters"] = copy.deepcopy(config["tasks"]["digits"])
    config["study"]["tasks"].append("letters")
    config["experiments"]["scarcity"]["grids"].append({"plr": [0.9], "tasks": ["letters"]})
    settings = resolve(config).settings
    added = set(settings["letters"]["scarcity"]) - set(settings["digits"]["scarcity"])
    assert added == {"fbftl+plr=0.9"}


def test_an_experiment_without_a_grid_for_a_task_is_not_made_of_it() -> None:
    config = yaml.safe_load(GOOD)
    config["tasks"]["letters"] = copy.deepcopy(config["tasks"]["digits"])
    config["experiments"]["scarcity"]["grids"][0]["tasks"] = ["letters"]
    assert resolve(config).settings == {"digits": {}}


def test_a_grid_for_a_task_that_is_not_there_is_refused() -> None:
    config = yaml.safe_load(GOOD)
    config["experiments"]["scarcity"]["grids"][0]["tasks"] = ["digit"]
    with pytest.raises(UserError, match=r"grids\.0\.tasks names the task 'digit'"):
        resolve(config)


def test_a_job_holds_builtin_types_only() -> None:
    def check(value: object) -> None:
        assert type(value) in (dict, list, str, int, float, bool, type(None))
        for inner in value.values() if isinstance(value, dict) else ():
            check(inner)

    study = resolve(yaml.safe_load(GOOD))
    check(study.job("digits", "fbftl+plr=0.5"))


def test_a_new_axis_leaves_jobs_that_do_not_use_it_alone() -> None:
    study = resolve(yaml.safe_load(GOOD))
    assert study.job("digits", "fbftl")["setting"] == {"method": "fbftl"}


@pytest.mark.parametrize("word", ["on", "off", "true", "false", "yes"])
def test_dropout_takes_every_word_that_yaml_reads_as_a_boolean(word: str) -> None:
    config = yaml.safe_load(GOOD)
    config["tasks"]["digits"]["training"] = yaml.safe_load(f"dropout: {word}")
    training = resolve(config).task("digits")["training"]
    assert training["dropout"] is (word in ("on", "true", "yes"))
    assert training["batch_norm"] == "frozen"


def test_a_quoted_on_is_a_text_and_refused() -> None:
    config = yaml.safe_load(GOOD)
    config["tasks"]["digits"]["training"] = {"dropout": "on"}
    with pytest.raises(UserError, match=r"training.dropout is 'on', not a boolean"):
        resolve(config)


def test_networks_are_filled_with_defaults_by_kind() -> None:
    config = yaml.safe_load(GOOD)
    networks = {"cnn": {"kind": "cnn", "channels": [[4]], "fc": [], "cut": "pool1"}}
    networks["mlp"] = {"kind": "mlp", "fc": [4], "cut": "relu_fc1"}
    config["tasks"]["digits"]["networks"] = copy.deepcopy(networks)
    filled = resolve(config).task("digits")["networks"]
    shared = {"norm": "none", "dropout": 0.0}
    maps = {"kernel": 3, "padding": "same", "pool": 2, "pool_dropout": 0.0}
    assert filled["mlp"] == networks["mlp"] | shared | {"last": "relu", "init": "torch"}
    assert filled["cnn"] == networks["cnn"] | shared | maps
    config["tasks"]["digits"]["networks"]["cnn"]["init"] = "he"
    assert resolve(config).task("digits")["networks"]["cnn"]["init"] == "he"
    config["tasks"]["digits"]["networks"]["mlp"]["kernel"] = 5
    with pytest.raises(UserError, match=r"networks.mlp.kernel' does not exist"):
        resolve(config)


def test_methods_override_training() -> None:
    config = yaml.safe_load(GOOD)
    config["tasks"]["digits"]["methods"] = {"fbftl": {"epochs": 7}}
    study = resolve(config)
    assert study.job("digits", "fbftl")["training"]["epochs"] == 7
    assert study.task("digits")["training"]["epochs"] != 7


def digits(config: dict) -> dict:
    return config["tasks"]["digits"]


def grid(config: dict) -> dict:
    return config["experiments"]["scarcity"]["grids"][0]


FAULTS: dict[str, tuple[Callable[[dict], object], str]] = {
    "misspelt top key": (
        lambda c: c.update(seed=[1]),
        "'seed' does not exist; did you mean 'seeds'",
    ),
    "misspelt key": (
        lambda c: digits(c).update(trainig={}),
        "'tasks.digits.trainig' does not exist; did you mean 'training'",
    ),
    "plr 1.5": (lambda c: grid(c).update(plr=[1.5]), "plr.0 is 1.5; give less than 1"),
    "fraction 0": (lambda c: grid(c).update(fraction=[0]), "fraction.0 is 0; give more than 0"),
    "K 0": (
        lambda c: digits(c).update(clients={"samples_per_client": 0}),
        "samples_per_client is 0; give at least 1",
    ),
    "both K and U": (
        lambda c: digits(c).update(clients={"clients": 20}),
        "clients gives clients 20 and samples_per_client 8, which follow from each other; set",
    ),
    "neither K nor U": (
        lambda c: digits(c).update(clients={"samples_per_client": None}),
        "clients gives neither clients nor samples_per_client; give one",
    ),
    "both K and U on an axis": (
        lambda c: grid(c).update(samples_per_client=[4], clients=[10]),
        "gives both clients and samples_per_client",
    ),
    "an optimiser that is not known": (
        lambda c: digits(c).update(training={"optimiser": "rmsprop"}),
        "training.optimiser is 'rmsprop'; choose among sgd, nesterov, adam, adadelta",
    ),
    "no local epoch": (
        lambda c: grid(c).update(method=["fedavg"], local_epochs=[0]),
        "local_epochs.0 is 0; give at least 1",
    ),
    "local epochs of a method without": (
        lambda c: grid(c).update(method=["sfl"], local_epochs=[5]),
        "sfl does not know axis local_epochs; methods that know it: fedavg",
    ),
    "alpha without dirichlet": (lambda c: grid(c).update(alpha=[0.5]), "alpha is for the part"),
    "alpha too large": (
        lambda c: digits(c).update(clients={"alpha": 1e7}),
        "clients.alpha is 10000000.0; give at most 1000000",
    ),
    "unknown domain": (
        lambda c: digits(c).update(clients={"domains": ["plain", "foggy"]}),
        "clients.domains.1 is 'foggy'; choose among plain, inverted",
    ),
    "unknown domain in a list": (
        lambda c: digits(c).update(clients={"domains": [["noisy", "foggy"]]}),
        "clients.domains.0.1 is 'foggy'; choose among plain",
    ),
    "named clients drawn anew": (
        lambda c: digits(c).update(clients={"partition": "given", "draw": "per_seed"}),
        "draws clients per_seed that the data names",
    ),
    "a seed beyond 63 bits": (
        lambda c: c.update(seeds=[2**63]),
        "seeds.0 is 9223372036854775808; give at most 9223372036854775807",
    ),
    "a seed of clients beyond 63 bits": (
        lambda c: digits(c).update(clients={"seed": 2**63}),
        "clients.seed is 9223372036854775808; give at most",
    ),
    "a number of 400 digits": (
        lambda c: digits(c).update(training={"learning_rate": 10**399}),
        "training.learning_rate is a number of very many digits; give at most 9223372036854775807",
    ),
    "a learning rate that no float32 holds": (
        lambda c: digits(c).update(training={"learning_rate": 1e300}),
        "training.learning_rate is 1e+300; give at most 1000000",
    ),
    "a clip norm that no float32 holds": (
        lambda c: digits(c).update(privacy={"update_clip": 1e300}),
        "privacy.update_clip is 1e+300; give at most 1000000",
    ),
    "a number of 400 digits on an axis": (
        lambda c: grid(c).update(plr=[0], blr=[0.1], burst=[10**399]),
        "burst.0 is a number of very many digits",
    ),
    "a burst without end": (
        lambda c: grid(c).update(plr=[0], blr=[0.1], burst=[1e300]),
        "burst.0 is 1e+300; give at most 1000000",
    ),
    "retransmissions without end": (
        lambda c: grid(c).update(plr=[0], blr=[0.1], retransmissions=[10**9]),
        "retransmissions.0 is 1000000000; give at most 1000",
    ),
    "an epsilon that no accountant can hold": (
        lambda c: grid(c).update(mechanism=["gaussian"], epsilon=[1e300]),
        "epsilon.0 is 1e+300; give at most 1000000",
    ),
    "an epsilon of labels beyond any": (
        lambda c: grid(c).update(label_epsilon=[1e300]),
        "label_epsilon.0 is 1e+300; give at most 100",
    ),
    "noise beyond any number": (
        lambda c: grid(c).update(mechanism=["relative"], sigma=[1e300]),
        "sigma.0 is 1e+300; give at most 1000000",
    ),
    "a billion labels": (
        lambda c: c.update(label_privacy={"classes": 10**9}),
        "label_privacy.classes is 1000000000; give at most 100000",
    ),
    "a head beyond memory": (
        lambda c: digits(c).update(head=[10**9]),
        "head.0 is 1000000000; give at most 1000000",
    ),
    "an image beyond memory": (
        lambda c: digits(c)["source"].update(image=[10**6, 10**6, 1]),
        "source.image.0 is 1000000; give at most 8192",
    ),
    "a size beyond memory": (
        lambda c: digits(c)["features"].update(size=10**6),
        "features.size is 1000000; give at most 8192",
    ),
    "the own cut among further ones": (
        lambda c: digits(c)["features"].update(further_cuts=["fc1"]),
        "features names its own cut 'fc1' among further_cuts",
    ),
    "a store that is read only": (
        lambda c: digits(c)["features"].update(store="http://example.org/x.zarr"),
        "features has the store 'http://example.org/x.zarr'; give s3://, gs://, az:// with bucket",
    ),
    "a store without a bucket": (
        lambda c: digits(c)["features"].update(store="s3://"),
        "features has the store 's3://'; give s3://",
    ),
    "a store with credentials": (
        lambda c: digits(c)["features"].update(store="s3://KEY:SECRET@bucket/x.zarr"),
        "features has a store with credentials before its bucket, which would reach manifests; "
        "leave them out and give them in the environment",
    ),
    "a wildcard as a cut": (
        lambda c: digits(c)["features"].update(cut="{task}"),
        "features.cut has the name '{task}'",
    ),
    "a cut that leaves the folder": (
        lambda c: grid(c).update(method=["released"], cut=["../x"]),
        "cut.0 has the name '../x'",
    ),
    "a task's name beyond a file's": (
        lambda c: c["tasks"].update({"t" * 300: digits(c)}),
        "shorten it to 100 characters",
    ),
    "an experiment's name beyond a file's": (
        lambda c: c["experiments"].update({"e" * 300: c["experiments"]["scarcity"]}),
        "shorten it to 100 characters",
    ),
    "a setting's name beyond a file's": (
        lambda c: grid(c).update(
            {axis: [1 / 3] for axis in ("fraction", "blr", "keep", "sigma", "label_epsilon")}
            | {"plr": [0], "loss": ["persistent"], "mechanism": ["relative"]}
            | {"partition": ["dirichlet_equal"], "alpha": [1 / 3], "samples_per_client": [7]}
            | {"burst": [10 / 3], "bits": [16], "noise_draw": ["redrawn"], "retransmissions": [9]}
        ),
        "for its files, which take 200; round its values, or give the task what all settings share",
    ),
    "bits 33": (lambda c: grid(c).update(bits=[33]), "bits.0 is 33; choose among"),
    "method": (lambda c: grid(c).update(method=["fbft"]), "method.0 is 'fbft'; choose among"),
    "1e-5 as text": (
        lambda c: digits(c).update(training={"learning_rate": "1e-5"}),
        "is '1e-5', not a number; YAML reads",
    ),
    "unknown task of a study": (
        lambda c: c["study"].update(tasks=["digit"]),
        "study.tasks names the task 'digit', which is not defined; did you mean 'digits'",
    ),
    "unknown task of an experiment": (
        lambda c: c["experiments"]["scarcity"].update(tasks=["mnist"]),
        "experiments.scarcity.tasks names the task 'mnist'",
    ),
    "task name that leaves the folder": (
        lambda c: c["tasks"].update({"../x": digits(c)}),
        "has the name '../x'",
    ),
    "missing block": (lambda c: digits(c).pop("data"), "tasks.digits lacks the key 'data'"),
    "sigma with epsilon": (
        lambda c: grid(c).update(mechanism=["gaussian"], sigma=[1.0], epsilon=[4.0]),
        "gives both sigma and epsilon",
    ),
    "mechanism without a level": (
        lambda c: grid(c).update(mechanism=["gaussian"]),
        "needs sigma or epsilon",
    ),
    "mechanism of another method": (
        lambda c: grid(c).update(method=["fl"], mechanism=["gaussian"], epsilon=[4.0]),
        "mechanism gaussian is for fbftl",
    ),
    "two channels": (
        lambda c: grid(c).update(plr=[0.5], blr=[0.1], loss=["persistent"]),
        "gives both plr and blr",
    ),
    "a task called as a folder of results": (
        lambda c: c["tasks"].update(papers=c["tasks"]["digits"]),
        "tasks has the name 'papers', which results/ uses itself",
    ),
    "a task called as a page of results": (
        lambda c: c["tasks"].update({"readme.md": c["tasks"]["digits"]}),
        "tasks has the name 'readme.md', which results/ uses itself",
    ),
    "a task's name with a line break": (
        lambda c: c["tasks"].update({"digits\n": c["tasks"]["digits"]}),
        r"tasks has the name 'digits\n'",
    ),
    "an experiment's name with a line break": (
        lambda c: c["experiments"].update({"scarcity\n": c["experiments"]["scarcity"]}),
        r"experiments has the name 'scarcity\n'",
    ),
    "a task without seeds": (
        lambda c: c["tasks"]["digits"].update(seeds=[]),
        "tasks.digits.seeds is empty",
    ),
    "delta 0": (
        lambda c: digits(c).update(privacy={"delta": 0}),
        "privacy.delta is 0; give more than 0",
    ),
    "releases of one life by a name that nobody has": (
        lambda c: digits(c).update(privacy={"together": {"life": ["fbftl+fractoin=0.1"]}}),
        "life names the setting 'fbftl+fractoin=0.1', which is not defined; did you mean "
        "'fbftl+fraction=0.1'",
    ),
    "momentum 1": (
        lambda c: grid(c).update(method=["private_gd"], descent_momentum=[1]),
        "momentum.0 is 1; give less than 1",
    ),
    "a schedule without steps": (
        lambda c: grid(c).update(method=["private_gd"], descent_steps=[0]),
        "steps.0 is 0; give at least 1",
    ),
    "no seeds": (lambda c: c.update(seeds=[]), "seeds is empty"),
    "a seed twice": (lambda c: c.update(seeds=[1, 1]), "seeds lists a value twice"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_one_sentence(
    fault: str,
) -> None:
    spoil, sentence = FAULTS[fault]
    config = yaml.safe_load(GOOD)
    spoil(config)
    with pytest.raises(UserError) as raised:
        resolve(config)
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_default_configuration_is_valid(
    root: Path,
) -> None:
    config = yaml.safe_load((root / "config.yaml").read_text())
    resolve(config, read_systems(root))


def test_releases_of_an_experiment_that_is_left_out_are_left_alone() -> None:
    config = yaml.safe_load(GOOD)
    config["experiments"]["other"] = {"grids": [{"fraction": [0.3]}]}
    digits(config).update(privacy={"together": {"life": ["fbftl+fraction=0.3"]}})
    assert resolve(config).together("digits") == {}


def test_more_settings_than_a_plan_holds_are_refused_before_any_is_made() -> None:
    values = [number / 1000 for number in range(1, 301)]
    config = yaml.safe_load(GOOD)
    config["experiments"]["scarcity"]["grids"] = [
        dict.fromkeys(("plr", "fraction", "keep"), values)
    ]
    with pytest.raises(UserError, match=r"27,\d{3},\d{3} settings is more than 10,000; split"):
        resolve(config)
