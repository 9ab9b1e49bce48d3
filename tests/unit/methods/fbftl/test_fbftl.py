"""What FbFTL's engine trains: digests of models on the way, ridge beside, heads that settle."""

import logging

import numpy as np
import pytest
import torch
from fbftl.exchange.uploads import send
from fbftl.models.modes import digest
from fbftl.training.stacked import train_on_received
from fbftl.training.tasks.task import Outcome, offered_features
from unit.methods.method_toys import job, one_shot, run


@pytest.mark.parametrize("validation", [0.0, 0.2])
def test_ridge_is_that_of_the_one_shot_method(blobs, validation):
    beside = run(blobs, {"plr": 0.5}, validation=validation).repetitions
    wanted = {"message": "features", "head": "ridge", "plr": 0.5}
    ratios = [0.01, 1e-6, 1e-5, 1e-4, 1e-3, 0.1, 1.0]
    alone = one_shot(blobs, wanted, validation=validation, ridge=ratios).repetitions
    assert [r["ridge_accuracy"] for r in beside] == [r["test_accuracy"] for r in alone]


@pytest.mark.parametrize(("rate", "named"), [(1e-6, True), (0.1, False)])
def test_a_head_far_behind_is_named_in_the_log(blobs, caplog, monkeypatch, rate, named):
    monkeypatch.setattr(logging.getLogger("fbftl"), "propagate", True)
    run(blobs, {}, learning_rate=rate, epochs=8)
    assert ("fbftl on toy is trained for too short" in caplog.text) == named


def models(outcome: Outcome) -> dict[str, list[str]]:
    return {str(repetition["seed"]): repetition["models"] for repetition in outcome.repetitions}


@pytest.mark.parametrize("setting", [{}, {"method": "ftl_c"}, {"method": "ftl_c", "fraction": 0.5}])
def test_every_point_of_every_seed_has_its_own(blobs, setting):
    outcome = run(blobs, setting)
    by_seed = models(outcome)
    points = [len(repetition["series"]["test_accuracy"]) for repetition in outcome.repetitions]
    assert [len(points_of_seed) for points_of_seed in by_seed.values()] == points
    every = [point for points_of_seed in by_seed.values() for point in points_of_seed]
    assert len(set(every)) == len(every)


def test_the_last_is_that_of_the_trained_model(blobs):
    client_data, (taking_part,) = offered_features([job({})], blobs)
    received = send(job({}), taking_part, client_data, {}).received()
    for fit in train_on_received(client_data, [received])[0]:
        assert fit.score.record["models"][-1] == digest(fit.head.parameters())


@pytest.mark.parametrize(("loss", "has_all"), [("persistent", False), ("reshuffled", True)])
def test_lost_uploads_are_trained_on_where_they_are_reshuffled(blobs, loss, has_all):
    job_ = job({"plr": 0.5, "loss": loss})
    client_data, (taking_part,) = offered_features([job_], blobs)
    for uploads in send(job_, taking_part, client_data, {}).uploads:
        rows = np.union1d(uploads.training, uploads.validation)
        assert np.array_equal(rows, uploads.participants.offered) == has_all
        assert uploads.counts["received"] < uploads.counts["offered"]


def test_heads_are_the_same_whatever_the_number_of_threads(blobs):
    """The gradients of convolutions are not: a network's job has the one thread of its rule."""
    by_threads, before = [], torch.get_num_threads()
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            by_threads.append(models(run(blobs, {})))
    finally:
        torch.set_num_threads(before)
    assert by_threads[0] == by_threads[1] == by_threads[2]
