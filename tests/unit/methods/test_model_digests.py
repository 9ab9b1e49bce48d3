"""Digests of models on the way: at every point, and the same however a run is cut up."""

import pytest
import torch
from fbftl.methods.fbftl.run import send_and_train
from fbftl.models.modes import digest
from fbftl.training.tasks.task import Inputs, Outcome, client_features
from unit.methods.method_toys import job, run


def models(outcome: Outcome) -> dict[str, list[str]]:
    return {str(repetition["seed"]): repetition["models"] for repetition in outcome.repetitions}


@pytest.mark.parametrize("setting", [{}, {"method": "ftl_c"}, {"method": "ftl_c", "fraction": 0.5}])
def test_every_point_of_every_seed_has_its_own(blobs: Inputs, setting: dict) -> None:
    outcome = run(blobs, setting)
    by_seed = models(outcome)
    points = [len(repetition["series"]["test_accuracy"]) for repetition in outcome.repetitions]
    assert [len(points_of_seed) for points_of_seed in by_seed.values()] == points
    every = [point for points_of_seed in by_seed.values() for point in points_of_seed]
    assert len(set(every)) == len(every)


def test_the_last_is_that_of_the_trained_model(blobs: Inputs) -> None:
    (fitted,) = send_and_train([job({})], client_features(job({}), blobs))
    by_seed = models(fitted.outcome)
    for seed, fitted_head in enumerate(fitted.fits):
        assert by_seed[str(seed)][-1] == digest(fitted_head.head.parameters())


def test_heads_are_the_same_whatever_the_number_of_threads(blobs: Inputs) -> None:
    """The gradients of convolutions are not: a network's job has the one thread of its rule."""
    by_threads, before = [], torch.get_num_threads()
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            by_threads.append(models(run(blobs, {})))
    finally:
        torch.set_num_threads(before)
    assert by_threads[0] == by_threads[1] == by_threads[2]
