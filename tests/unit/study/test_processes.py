"""Settings that share a process: which do, and that each finds what it would find alone."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
import yaml
from fbftl.methods import train
from fbftl.methods.fbftl import fit
from fbftl.study.config import Study, resolve
from fbftl.study.processes import shared_processes
from fbftl.study.uploads import is_plain
from fbftl.study.yaml_files import read_yaml
from fbftl.tasks.task import Inputs, held_features
from fbftl.training.batches import Epoch, side_by_side
from hypothesis import given
from hypothesis import strategies as st
from unit.methods.method_toys import ONE_SHOT, job, toy_inputs

STUDY = """
study: {tasks: [digits], experiments: [loss, privacy]}
tasks:
  digits:
    data: {kind: digits}
    source: {kind: pretrain, image: [8, 8, 1]}
    features: {cut: fc1, further_cuts: [fc2]}
experiments:
  loss:
    grids:
      - {method: [fbftl, ftl_c], fraction: [1, 0.1], plr: [0, 0.1, 0.2, 0.5]}
      - {cut: [fc2], plr: [0, 0.5]}
  privacy:
    grids:
      - {plr: [0, 0.5]}
      - {mechanism: [gaussian], epsilon: [1, 4, 16]}
      - {mechanism: [relative], sigma: [0.1, 0.2], noise: [once, redrawn]}
"""


@pytest.fixture(scope="module")
def study_of(root) -> Callable[[int], Study]:
    """Return the study with so many settings per process."""
    schema = read_yaml(root / "rules/schemas/config.schema.yaml")
    return lambda most: resolve(yaml.safe_load(STUDY) | {"settings_per_process": most}, schema)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    return toy_inputs(tmp_path_factory.mktemp("store"))


def test_one_setting_per_process_shares_none(study_of) -> None:
    assert shared_processes(study_of(1), "digits") == {}


@pytest.mark.parametrize("most", [2, 3, 5, 100])
def test_processes_are_bounded_and_hold_every_setting_once(study_of, most: int) -> None:
    study = study_of(most)
    processes = shared_processes(study, "digits")
    placed = [name for names in processes.values() for name in names]
    assert len(placed) == len(set(placed))
    assert all(2 <= len(names) <= most for names in processes.values())
    fbftl = {
        n for s in study.settings["digits"].values() for n, v in s.items() if v.method == "fbftl"
    }
    assert set(placed) <= fbftl
    if most == 100:
        assert set(placed) == fbftl


def test_only_settings_of_one_shape_share_a_process(study_of) -> None:
    processes = shared_processes(study_of(100), "digits")
    for names in processes.values():
        settings = [study_of(100).setting("digits", name) for name in names]
        assert len({(s.cut, s.noise, s.mechanism == "gaussian") for s in settings}) == 1


def test_a_change_to_one_experiment_leaves_the_others_processes_alone(study_of, root) -> None:
    before = shared_processes(study_of(3), "digits")
    config = yaml.safe_load(STUDY) | {"settings_per_process": 3}
    config["experiments"]["privacy"]["grids"][1]["epsilon"] = [1, 2, 4, 16]
    schema = read_yaml(root / "rules/schemas/config.schema.yaml")
    after = shared_processes(resolve(config, schema), "digits")
    assert before != after
    for process, names in before.items():
        if process.startswith("loss"):
            assert after[process] == names


SETTINGS = [
    {},
    {"plr": 0.6},
    {"plr": 0.6, "loss": "reshuffled"},
    {"fraction": 0.2},
    {"samples_per_client": 4, "plr": 0.3},
    {"bits": 2, "keep": 0.5},
    {"mechanism": "gaussian", "epsilon": 16.0},
    {"mechanism": "relative", "sigma": 0.1},
    {"label_epsilon": 2.0},
]


def test_each_setting_finds_what_it_would_find_alone(inputs: Inputs, device: str) -> None:
    jobs = [job(setting) for setting in SETTINGS]
    where = replace(inputs, device=torch.device(device))
    for asked, together in zip(jobs, fit(jobs, held_features(jobs[0], where)), strict=True):
        (alone,) = fit([asked], held_features(asked, inputs))
        assert together.outcome.ledger.table().equals(alone.outcome.ledger.table())
        assert len(together.fits) == len(alone.fits) == 2
        for ours, own in zip(together.fits, alone.fits, strict=True):
            for one, other in zip(ours.head.parameters(), own.head.parameters(), strict=True):
                np.testing.assert_allclose(one.detach().cpu(), other.detach(), atol=1e-4)
        for ours, own in zip(together.outcome.repetitions, alone.outcome.repetitions, strict=True):
            assert ours["privacy"] == own["privacy"]
            assert ours["received"] == own["received"]
            for name, curve in ours["series"].items():
                found, expected = np.array(curve, float), np.array(own["series"][name], float)
                np.testing.assert_allclose(found, expected, rtol=1e-3)


def test_settings_that_redraw_their_noise_step_together(inputs: Inputs) -> None:
    jobs = [
        job({"mechanism": "relative", "sigma": sigma, "noise": "redrawn"}) for sigma in (0.1, 0.2)
    ]
    for asked, together in zip(jobs, fit(jobs, held_features(jobs[0], inputs)), strict=True):
        (alone,) = fit([asked], held_features(asked, inputs))
        assert together.outcome.repetitions[1]["test_accuracy"] == pytest.approx(
            alone.outcome.repetitions[1]["test_accuracy"]
        )


def test_settings_of_another_shape_are_refused(inputs: Inputs) -> None:
    with pytest.raises(ValueError, match="cannot step together"):
        fit([job({}), job({}, learning_rate=0.2)], inputs)


@given(st.lists(st.integers(1, 3), min_size=1, max_size=4))
def test_schedules_side_by_side_keep_their_seeds(seeds: list[int]) -> None:
    def epoch(place: int) -> Epoch:
        shape = (2, seeds[place], 5)
        return Epoch(np.full(shape, place), np.full(shape, place, dtype=np.float32))

    (together,) = side_by_side([[epoch(place)] for place in range(len(seeds))])
    expected = np.repeat(np.arange(len(seeds)), seeds)
    assert (together.rows == expected[:, None]).all()
    assert (together.weights == expected[:, None]).all()


def test_private_descent_shares_a_process_with_as_many_steps_and_a_task_has_its_own_bound(root):
    config = yaml.safe_load(STUDY)
    config["tasks"]["digits"]["settings_per_process"] = 8
    noise = {"mechanism": ["dp_gd"], "epsilon": [1, 4]}
    config["experiments"]["privacy"]["grids"] = [
        {"method": ["private_gd"], "steps": [50, 100]},
        {"method": ["private_gd"], "steps": [50, 100], **noise, "fraction": [0.5, 1.0]},
    ]
    schema = read_yaml(root / "rules/schemas/config.schema.yaml")
    study = resolve(config, schema)
    shared = [names for key, names in shared_processes(study, "digits").items() if "priv" in key]
    settings = [[study.setting("digits", name) for name in names] for names in shared]
    assert [len(own) for own in settings] == [4, 4]
    assert all(len({(s.steps, s.mechanism) for s in own}) == 1 for own in settings)


def test_settings_of_one_method_of_local_epochs_train_one_after_another(root):
    config = yaml.safe_load(STUDY) | {"settings_per_process": 8}
    config["tasks"]["digits"]["networks"] = {"mlp": {"kind": "mlp", "fc": [16], "cut": "relu_fc1"}}
    config["experiments"]["privacy"]["grids"] = [
        {"method": ["fedavg", "sheterofl"], "network": ["mlp"], "width": [0.125, 0.0625]},
    ]
    schema = read_yaml(root / "rules/schemas/config.schema.yaml")
    study = resolve(config, schema)
    shared = [names for key, names in shared_processes(study, "digits").items() if "priv" in key]
    methods = [{study.setting("digits", name).method for name in names} for names in shared]
    assert methods == [{"fedavg"}, {"sheterofl"}]
    assert [len(names) for names in shared] == [2, 2]


WITHOUT_A_STEP = {
    "ftl_c": ([{"method": "ftl_c", "plr": plr} for plr in (0.0, 0.5)], {}),
    "one-shot": (
        [
            {"message": "statistics", "head": "lda"},
            {"message": "means", "head": "ncm", "plr": 0.5},
            {"message": "mixtures", "samples_per_client": 4},
            {"message": "statistics", "head": "ridge", "mechanism": "gaussian", "epsilon": 16.0},
        ],
        {"one_shot": ONE_SHOT},
    ),
}


@pytest.mark.parametrize("of", WITHOUT_A_STEP)
def test_settings_without_a_common_step_find_what_they_would_find_alone(inputs: Inputs, of: str):
    settings, block = WITHOUT_A_STEP[of]
    jobs = [job(own, block) for own in settings]
    for asked, found in zip(jobs, train(jobs, inputs), strict=True):
        (alone,) = train([asked], inputs)
        assert found.repetitions == alone.repetitions
        assert found.ledger.table().equals(alone.ledger.table())


def test_one_shot_settings_share_a_process_apart_from_those_that_step_together(root):
    config = yaml.safe_load(STUDY) | {"settings_per_process": 8}
    config["experiments"]["privacy"]["grids"] = [
        {"plr": [0, 0.5]},
        {"message": ["statistics"], "head": ["lda", "ridge"], "plr": [0, 0.5]},
        {"message": ["means"], "head": ["ncm"]},
    ]
    study = resolve(config, read_yaml(root / "rules/schemas/config.schema.yaml"))
    shared = [names for key, names in shared_processes(study, "digits").items() if "priv" in key]
    plain = [{is_plain(study.setting("digits", name)) for name in names} for names in shared]
    assert plain == [{False}]  # the plain ones belong to the experiment before
    assert [len(names) for names in shared] == [5]
