"""Settings that share a process: which do, and that each finds what it would find alone."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
import yaml
from fbftl.methods.by_name import train
from fbftl.methods.fbftl.run import fit
from fbftl.study.config import Study, resolve
from fbftl.study.feasibility import Sizes
from fbftl.study.processes import MOST, SHORT, bounds, shared_processes, short_settings
from fbftl.study.yaml_files import read_yaml
from fbftl.tasks.task import Inputs, client_features
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
      - {mechanism: [relative], sigma: [0.1, 0.2], noise_draw: [once, redrawn]}
"""


def processes_of(study: Study, without: frozenset[str] = frozenset()) -> dict[str, list[str]]:
    """Return the shared processes of the digits where all settings have to be trained but some."""
    names = {n for settings in study.settings["digits"].values() for n in settings} - without
    most = bounds(study, {"digits": names}, {"digits": ()}, 1)["digits"]
    return shared_processes(study, "digits", most)


@pytest.fixture(scope="module")
def study_of(root) -> Callable[[int | str], Study]:
    """Return the study with so many settings per process."""
    schema = read_yaml(root / "rules/schemas/config.schema.yaml")
    return lambda most: resolve(yaml.safe_load(STUDY) | {"settings_per_process": most}, schema)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    return toy_inputs(tmp_path_factory.mktemp("store"))


def test_one_setting_per_process_shares_none(study_of) -> None:
    assert processes_of(study_of(1)) == {}


@pytest.mark.parametrize("most", [2, 3, 5, 100])
def test_processes_are_bounded_and_hold_every_setting_once(study_of, most: int) -> None:
    study = study_of(most)
    processes = processes_of(study)
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
    processes = processes_of(study_of(100))
    for names in processes.values():
        settings = [study_of(100).setting("digits", name) for name in names]
        assert len({(s.cut, s.noise_draw, s.mechanism == "gaussian") for s in settings}) == 1


def test_a_change_to_one_experiment_leaves_the_others_processes_alone(study_of, root) -> None:
    before = processes_of(study_of(3))
    config = yaml.safe_load(STUDY) | {"settings_per_process": 3}
    config["experiments"]["privacy"]["grids"][1]["epsilon"] = [1, 2, 4, 16]
    schema = read_yaml(root / "rules/schemas/config.schema.yaml")
    after = processes_of(resolve(config, schema))
    assert before != after
    for process, names in before.items():
        if process.startswith("loss"):
            assert after[process] == names


def test_only_what_has_to_be_trained_shares_a_process(study_of) -> None:
    study = study_of(3)
    finished = frozenset(list(study.settings["digits"]["loss"])[1:4])
    left = [name for names in processes_of(study, finished).values() for name in names]
    assert not finished & set(left)
    everything = [name for names in processes_of(study).values() for name in names]
    assert set(left) <= set(everything) - finished


def test_whoever_asks_for_one_setting_of_a_process_asks_for_all(study_of) -> None:
    study = study_of(100)
    experiments = study.settings["digits"].values()
    for names in processes_of(study).values():
        for settings in experiments:
            assert len({name in settings for name in names}) == 1


def test_another_batch_has_another_name(study_of) -> None:
    """Its log and its benchmark are then others too."""
    study = study_of(3)
    before = processes_of(study)
    for first, *_ in before.values():
        after = processes_of(study, frozenset([first]))
        assert all(after[name] == before[name] for name in after.keys() & before.keys())


@pytest.mark.parametrize("places", [1, 2, 5, 100])
def test_by_default_short_settings_share_as_few_processes_as_keep_places_busy(
    study_of, places: int
) -> None:
    study = study_of("auto")
    names = list(study.settings["digits"]["loss"])
    short = names[:7]
    most = bounds(study, {"digits": names}, {"digits": short}, places)["digits"]
    assert {most[name] for name in names[7:]} == {1}
    (of_short,) = {most[name] for name in short}
    assert of_short == min(MOST, max(1, -(-7 // places)))


def test_training_on_features_is_short_up_to_so_many_multiplications(study_of) -> None:
    study, weights = study_of("auto"), 1000
    block = study.task("digits")
    passes = block["training"]["epochs"] * len(block["seeds"])
    fitting, sizes = SHORT // (3 * weights * passes), Sizes(heads={"fc1": weights})
    names = study.settings["digits"]["loss"]
    of_fbftl = {n for n, s in names.items() if (s.method, s.cut) == ("fbftl", None)}
    found = [short_settings(study, "digits", names, n, sizes) for n in (fitting, fitting + 1, None)]
    assert [names for names in found if names] == [found[0]]
    assert of_fbftl <= found[0]
    assert not {n for n in found[0] if names[n].cut == "fc2"}


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
    for wanted, together in zip(jobs, fit(jobs, client_features(jobs[0], where)), strict=True):
        (alone,) = fit([wanted], client_features(wanted, inputs))
        assert together.outcome.ledger.table().equals(alone.outcome.ledger.table())
        assert len(together.fits) == len(alone.fits) == 2
        for ours, single in zip(together.fits, alone.fits, strict=True):
            for shared_weight, alone_weight in zip(
                ours.head.parameters(), single.head.parameters(), strict=True
            ):
                np.testing.assert_allclose(
                    shared_weight.detach().cpu(), alone_weight.detach(), atol=1e-4
                )
        for ours, single in zip(
            together.outcome.repetitions, alone.outcome.repetitions, strict=True
        ):
            assert ours["privacy"] == single["privacy"]
            assert ours["received"] == single["received"]
            for name, curve in ours["series"].items():
                measured, expected = np.array(curve, float), np.array(single["series"][name], float)
                np.testing.assert_allclose(measured, expected, rtol=1e-3)


def test_settings_that_redraw_their_noise_step_together(inputs: Inputs) -> None:
    jobs = [
        job({"mechanism": "relative", "sigma": sigma, "noise_draw": "redrawn"})
        for sigma in (0.1, 0.2)
    ]
    for wanted, together in zip(jobs, fit(jobs, client_features(jobs[0], inputs)), strict=True):
        (alone,) = fit([wanted], client_features(wanted, inputs))
        assert together.outcome.repetitions[1]["test_accuracy"] == pytest.approx(
            alone.outcome.repetitions[1]["test_accuracy"]
        )


def test_settings_of_another_shape_are_refused(inputs: Inputs) -> None:
    with pytest.raises(ValueError, match="cannot step together"):
        fit([job({}), job({}, learning_rate=0.2)], inputs)


@given(st.lists(st.integers(1, 3), min_size=1, max_size=4))
def test_schedules_side_by_side_keep_their_seeds(seeds: list[int]) -> None:
    def epoch(index: int) -> Epoch:
        shape = (2, seeds[index], 5)
        return Epoch(np.full(shape, index), np.full(shape, index, dtype=np.float32))

    (together,) = side_by_side([[epoch(index)] for index in range(len(seeds))])
    expected = np.repeat(np.arange(len(seeds)), seeds)
    assert (together.rows == expected[:, None]).all()
    assert (together.weights == expected[:, None]).all()


def test_private_descent_shares_a_process_with_as_many_steps_and_a_task_has_its_own_bound(root):
    config = yaml.safe_load(STUDY)
    config["tasks"]["digits"]["settings_per_process"] = 8
    noise = {"mechanism": ["dp_gd"], "epsilon": [1, 4]}
    config["experiments"]["privacy"]["grids"] = [
        {"method": ["private_gd"], "descent_steps": [50, 100]},
        {"method": ["private_gd"], "descent_steps": [50, 100], **noise, "fraction": [0.5, 1.0]},
    ]
    schema = read_yaml(root / "rules/schemas/config.schema.yaml")
    study = resolve(config, schema)
    shared = [names for key, names in processes_of(study).items() if "priv" in key]
    settings = [[study.setting("digits", name) for name in names] for names in shared]
    assert [len(group) for group in settings] == [4, 4]
    assert all(len({(s.descent_steps, s.mechanism) for s in group}) == 1 for group in settings)


def test_settings_of_one_method_of_local_epochs_train_one_after_another(root):
    config = yaml.safe_load(STUDY) | {"settings_per_process": 8}
    config["tasks"]["digits"]["networks"] = {"mlp": {"kind": "mlp", "fc": [16], "cut": "relu_fc1"}}
    config["experiments"]["privacy"]["grids"] = [
        {"method": ["fedavg", "sheterofl"], "network": ["mlp"], "width": [0.125, 0.0625]},
    ]
    schema = read_yaml(root / "rules/schemas/config.schema.yaml")
    study = resolve(config, schema)
    shared = [names for key, names in processes_of(study).items() if "priv" in key]
    methods = [{study.setting("digits", name).method for name in names} for names in shared]
    assert methods == [{"fedavg"}, {"sheterofl"}]
    assert [len(names) for names in shared] == [2, 2]


WITHOUT_A_STEP = {
    "ftl_c": ([{"method": "ftl_c", "plr": plr} for plr in (0.0, 0.5)], {}),
    "one-shot": (
        [
            {"method": "one_shot"} | axes
            for axes in (
                {"message": "statistics", "head": "lda"},
                {"message": "means", "head": "ncm", "plr": 0.5},
                {"message": "mixtures", "samples_per_client": 4},
                {
                    "message": "statistics",
                    "head": "ridge",
                    "mechanism": "gaussian",
                    "epsilon": 16.0,
                },
            )
        ],
        {"one_shot": ONE_SHOT},
    ),
}


@pytest.mark.parametrize("of", WITHOUT_A_STEP)
def test_settings_without_a_common_step_find_what_they_would_find_alone(inputs: Inputs, of: str):
    settings, block = WITHOUT_A_STEP[of]
    jobs = [job(axes, block) for axes in settings]
    for wanted, together in zip(jobs, train(jobs, inputs), strict=True):
        (alone,) = train([wanted], inputs)
        assert together.repetitions == alone.repetitions
        assert together.ledger.table().equals(alone.ledger.table())


def test_one_shot_settings_share_a_process_apart_from_those_that_step_together(root):
    config = yaml.safe_load(STUDY) | {"settings_per_process": 8}
    config["experiments"]["privacy"]["grids"] = [
        {"plr": [0, 0.5]},
        {
            "method": ["one_shot"],
            "message": ["statistics"],
            "head": ["lda", "ridge"],
            "plr": [0, 0.5],
        },
        {"method": ["one_shot"], "message": ["means"], "head": ["ncm"]},
    ]
    study = resolve(config, read_yaml(root / "rules/schemas/config.schema.yaml"))
    shared = [names for key, names in processes_of(study).items() if "priv" in key]
    methods = [{study.setting("digits", name).method for name in names} for names in shared]
    assert methods == [{"one_shot"}]  # those of FbFTL belong to the experiment before
    assert [len(names) for names in shared] == [5]
