"""The paper's own noise for an epsilon, on every upload before it is sent, and clients of a round."""

import pytest
from fbftl.privacy.accounting import gaussian_sigma, rounds_sigma
from unit.random_settings import NO_WARNINGS, answered

pytestmark = NO_WARNINGS

EPSILON = 4.0


def record_of(method: str, schema: dict, task_files: dict) -> tuple[dict, dict]:
    """Return a method's record of privacy under the paper's noise, and its job's parameters."""
    axes = {"method": method, "mechanism": "relative", "epsilon": EPSILON}
    answer = answered(axes, schema, task_files)
    assert not answer.refused, answer.sentence
    (task,) = answer.study.tasks
    (name,) = answer.study.settings[task]["asked"]
    (repetition,) = answer.outcome.repetitions
    return repetition["privacy"][0], answer.study.job(task, name) | repetition


def test_features_get_the_noise_of_one_release(schema, task_files):
    privacy, job = record_of("fbftl", schema, task_files)
    delta = job["privacy"]["delta"]
    assert privacy["sigma"] == pytest.approx(gaussian_sigma(EPSILON, delta, "add-remove"))
    assert privacy["epsilon"] is None  # the paper's epsilon is no guarantee


@pytest.mark.parametrize("method", ["fl", "ftl_f", "ftl_c"])
def test_updates_get_the_noise_of_all_rounds(method, schema, task_files):
    privacy, job = record_of(method, schema, task_files)
    clients, training = job["clients"], job["training"]
    count = training["clients_per_round"]
    rounds = -(-clients // count) * training["epochs"]
    sigma = rounds_sigma(
        EPSILON, job["privacy"]["delta"], rate=min(count / clients, 1.0), rounds=rounds
    )
    assert privacy["sigma"] == pytest.approx(sigma)


@pytest.mark.parametrize("method", ["fl", "ftl_f", "ftl_c", "fbftl"])
def test_a_setting_s_own_clients_of_a_round_take_the_place_of_the_task_s(
    method, schema, task_files
):
    answer = answered({"method": method, "clients_per_round": 2}, schema, task_files)
    assert not answer.refused, answer.sentence
    (task,) = answer.study.tasks
    (name,) = answer.study.settings[task]["asked"]
    training = answer.study.job(task, name)["training"]
    samples = answer.study.task(task)["clients"]["samples_per_client"]
    assert training["clients_per_round"] == 2
    assert training["batch"] == 2 * samples
