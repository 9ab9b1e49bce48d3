"""Digests of models on the way: at every point, and the same however a run is cut up."""

import itertools

import pytest
import torch
from fbftl.findings.run_file import models, run_document
from fbftl.ground.departures import first_point
from fbftl.methods import train
from fbftl.methods.fbftl import fit
from fbftl.models.digest import digest
from fbftl.tasks.task import Inputs, held_features
from unit.methods.method_toys import job, one_shot, run, toy_inputs

SETTINGS = [{}, {"plr": 0.6}, {"fraction": 0.5}]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    return toy_inputs(tmp_path_factory.mktemp("store"))


@pytest.mark.parametrize("setting", [{}, {"method": "ftl_c"}])
def test_every_point_of_every_seed_has_its_own(inputs: Inputs, setting: dict) -> None:
    outcome = run(inputs, setting)
    found = models(outcome.repetitions)
    points = [len(one["series"]["test_accuracy"]) for one in outcome.repetitions]
    assert [len(own) for own in found.values()] == points
    every = [one for own in found.values() for one in own]
    assert len(set(every)) == len(every)


def test_a_solved_head_has_one_point(inputs: Inputs) -> None:
    solved = [
        models(one_shot(inputs, {"message": "statistics", "head": head}).repetitions)
        for head in ("ridge", "lda")
    ]
    assert [len(points) for own in solved for points in own.values()] == [1] * 4
    assert first_point(*solved) == ("0", 1)


def test_the_last_is_that_of_the_trained_model(inputs: Inputs) -> None:
    (fitted,) = fit([job({})], held_features(job({}), inputs))
    found = models(fitted.outcome.repetitions)
    for seed, own in enumerate(fitted.fits):
        assert found[str(seed)][-1] == digest(own.head.parameters())


def test_settings_that_share_a_process_go_through_the_models_of_their_own(inputs: Inputs) -> None:
    alone = [models(run(inputs, setting).repetitions) for setting in SETTINGS]
    together = train([job(setting) for setting in SETTINGS], inputs)
    for own, outcome in zip(alone, together, strict=True):
        assert first_point(own, models(outcome.repetitions)) is None


@pytest.mark.parametrize("setting", [{}, {"method": "ftl_c"}])
def test_a_changed_thread_count_departs_nowhere(inputs: Inputs, setting: dict) -> None:
    found, before = [], torch.get_num_threads()
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            found.append(models(run(inputs, setting).repetitions))
    finally:
        torch.set_num_threads(before)
    for one, other in itertools.pairwise(found):
        departed = first_point(one, other)
        assert departed is None, "models part at seed {}, point {}".format(*departed)


def test_the_run_file_holds_the_science_only(inputs: Inputs) -> None:
    asked = {"task": "toy", "setting": {"method": "fbftl"}, "training": {}}
    outcome = run(inputs, {})
    document = run_document(asked, outcome.provenance, outcome.repetitions)
    assert not any("models" in repetition for repetition in document["repetitions"])


def test_where_two_runs_part_is_the_earliest_point_of_any_seed() -> None:
    one = {"0": ["a", "b", "c"], "1": ["d", "e", "f"]}
    assert first_point(one, one) is None
    assert first_point(one, one | {"0": ["a", "b", "x"]}) == ("0", 3)
    assert first_point(one, {"0": ["a", "b", "x"], "1": ["d", "x", "f"]}) == ("1", 2)
