"""A head that was trained for too short stands beside ridge regression on the same features."""

import logging

import pytest
from fbftl.tasks.task import Inputs
from unit.methods.method_toys import one_shot, run, toy_inputs


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    return toy_inputs(tmp_path_factory.mktemp("store"))


@pytest.mark.parametrize("validation", [0.0, 0.2])
def test_ridge_is_that_of_the_one_shot_method(inputs, validation):
    beside = run(inputs, {"plr": 0.5}, validation=validation).repetitions
    asked = {"message": "features", "head": "ridge", "plr": 0.5}
    ratios = [0.01, 1e-6, 1e-5, 1e-4, 1e-3, 0.1, 1.0]
    alone = one_shot(inputs, asked, validation=validation, ridge=ratios).repetitions
    assert [r["ridge_accuracy"] for r in beside] == [r["test_accuracy"] for r in alone]


@pytest.mark.parametrize(("rate", "told"), [(1e-6, True), (0.1, False)])
def test_a_head_far_behind_is_named_in_the_log(inputs, caplog, monkeypatch, rate, told):
    monkeypatch.setattr(logging.getLogger("fbftl"), "propagate", True)
    run(inputs, {}, learning_rate=rate, epochs=8)
    assert ("fbftl on toy is trained for too short" in caplog.text) == told
