"""Digests of models on the way: at every point, and the same however a run is cut up."""

import pytest
import torch
from fbftl.findings.run_file import run_document
from fbftl.methods.by_name import train
from fbftl.methods.fbftl.run import send_and_train
from fbftl.models.digest import digest
from fbftl.tasks.task import Inputs, Outcome, client_features
from unit.methods.method_toys import job, one_shot, run, toy_inputs

SETTINGS = [{}, {"plr": 0.6}, {"fraction": 0.5}]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    return toy_inputs(tmp_path_factory.mktemp("store"))


def models(outcome: Outcome) -> dict[str, list[str]]:
    return {str(repetition["seed"]): repetition["models"] for repetition in outcome.repetitions}


@pytest.mark.parametrize("setting", [{}, {"method": "ftl_c"}])
def test_every_point_of_every_seed_has_its_own(inputs: Inputs, setting: dict) -> None:
    outcome = run(inputs, setting)
    by_seed = models(outcome)
    points = [len(repetition["series"]["test_accuracy"]) for repetition in outcome.repetitions]
    assert [len(points_of_seed) for points_of_seed in by_seed.values()] == points
    every = [point for points_of_seed in by_seed.values() for point in points_of_seed]
    assert len(set(every)) == len(every)


def test_a_solved_head_has_one_point(inputs: Inputs) -> None:
    solved = [
        models(one_shot(inputs, {"message": "statistics", "head": head}))
        for head in ("ridge", "lda")
    ]
    assert [len(points) for by_seed in solved for points in by_seed.values()] == [1] * 4
    assert solved[0] != solved[1]


def test_the_last_is_that_of_the_trained_model(inputs: Inputs) -> None:
    (fitted,) = send_and_train([job({})], client_features(job({}), inputs))
    by_seed = models(fitted.outcome)
    for seed, fitted_head in enumerate(fitted.fits):
        assert by_seed[str(seed)][-1] == digest(fitted_head.head.parameters())


def test_settings_that_share_a_process_go_through_the_models_of_their_own(inputs: Inputs) -> None:
    alone = [models(run(inputs, setting)) for setting in SETTINGS]
    together = train([job(setting) for setting in SETTINGS], inputs)
    for models_alone, outcome in zip(alone, together, strict=True):
        assert models_alone == models(outcome)


def test_heads_are_the_same_whatever_the_number_of_threads(inputs: Inputs) -> None:
    """The gradients of convolutions are not: a network's job has the one thread of its rule."""
    by_threads, before = [], torch.get_num_threads()
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            by_threads.append(models(run(inputs, {})))
    finally:
        torch.set_num_threads(before)
    assert by_threads[0] == by_threads[1] == by_threads[2]


def test_the_run_file_holds_the_science_only(inputs: Inputs) -> None:
    job_params = {"task": "toy", "setting": {"method": "fbftl"}, "training": {}}
    outcome = run(inputs, {})
    document = run_document(job_params, outcome.provenance, outcome.repetitions)
    assert not any("models" in repetition for repetition in document["repetitions"])
