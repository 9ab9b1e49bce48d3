"""A head that was trained for too short stands beside ridge regression on the same features."""

import logging

import pytest
import torch
from fbftl.methods.fbftl.run import send_and_train
from fbftl.training.tasks.task import client_features
from unit.methods.method_toys import job, one_shot, run


@pytest.mark.parametrize("validation", [0.0, 0.2])
def test_ridge_is_that_of_the_one_shot_method(blobs, validation):
    beside = run(blobs, {"plr": 0.5}, validation=validation).repetitions
    wanted = {"message": "features", "head": "ridge", "plr": 0.5}
    ratios = [0.01, 1e-6, 1e-5, 1e-4, 1e-3, 0.1, 1.0]
    alone = one_shot(blobs, wanted, validation=validation, ridge=ratios).repetitions
    assert [r["ridge_accuracy"] for r in beside] == [r["test_accuracy"] for r in alone]


def test_a_head_goes_on_until_it_has_settled_whoever_is_beside_it(blobs):
    """At a tenth of the rate it takes longer; its curve is level from there on."""
    changed = {"validation": 0.2, "epochs": 128, "until_settled": True, "batch": 32}
    slow, fast = (
        run(blobs, {"plr": plr}, learning_rate=rate, **changed).repetitions
        for plr, rate in ((0.0, 0.02), (0.0, 0.2))
    )
    for lower, higher in zip(slow, fast, strict=True):
        lengths = [len(dict.fromkeys(r["models"])) for r in (lower, higher)]
        assert 8 <= lengths[1] < lengths[0] < 128
        assert abs(lower["test_accuracy"] - lower["ridge_accuracy"]) < 0.05
        assert set(lower["series"]["loss"][lengths[0] :]) <= {
            lower["series"]["loss"][lengths[0] - 1]
        }
        assert len(lower["series"]["loss"]) == 128
    jobs = [job({"plr": plr}, learning_rate=0.05, **changed) for plr in (0.0, 0.5)]
    together = send_and_train(jobs, client_features(jobs[0], blobs))
    for job_, beside in zip(jobs, together, strict=True):
        (alone,) = send_and_train([job_], client_features(job_, blobs))
        assert alone.outcome.repetitions == beside.outcome.repetitions
        for one, other in zip(alone.fits, beside.fits, strict=True):
            assert all(map(torch.equal, one.head.parameters(), other.head.parameters()))


@pytest.mark.parametrize(("rate", "named"), [(1e-6, True), (0.1, False)])
def test_a_head_far_behind_is_named_in_the_log(blobs, caplog, monkeypatch, rate, named):
    monkeypatch.setattr(logging.getLogger("fbftl"), "propagate", True)
    run(blobs, {}, learning_rate=rate, epochs=8)
    assert ("fbftl on toy is trained for too short" in caplog.text) == named
