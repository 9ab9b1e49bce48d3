"""The paper's own noise for an epsilon, on every upload, and a setting's clients of a round."""

import pytest
from fbftl.privacy.accounting import gaussian_sigma, rounds_sigma
from unit.random_settings import NO_WARNINGS, answered

pytestmark = NO_WARNINGS

EPSILON = 4.0


def record_of(method: str, task_files: dict) -> tuple[dict, dict]:
    """Return what was found under the paper's noise, and the job's parameters."""
    axes = {"method": method, "mechanism": "relative", "epsilon": EPSILON}
    answer = answered(axes, task_files)
    assert not answer.refused, answer.sentence
    (task,) = answer.study.tasks
    (name,) = answer.study.settings[task]["asked"]
    (repetition,) = answer.outcome.repetitions
    return repetition, answer.study.job(task, name)


def test_features_get_the_noise_of_one_release(task_files):
    repetition, job = record_of("fbftl", task_files)
    (privacy,), delta = repetition["privacy"], job["privacy"]["delta"]
    assert privacy["sigma"] == pytest.approx(gaussian_sigma(EPSILON, delta, "add-remove"))
    assert privacy["epsilon"] is None  # the paper's epsilon is no guarantee


def test_updates_get_the_noise_of_all_rounds(task_files):
    repetition, job = record_of("ftl_c", task_files)
    clients, training = repetition["clients"], job["training"]
    count = training["clients_per_round"]
    rounds = -(-clients // count) * training["epochs"]
    sigma = rounds_sigma(
        EPSILON, job["privacy"]["delta"], rate=min(count / clients, 1.0), rounds=rounds
    )
    assert repetition["privacy"][0]["sigma"] == pytest.approx(sigma)


@pytest.mark.parametrize("method", ["fl", "fbftl"])
def test_a_setting_s_own_clients_of_a_round_take_the_place_of_the_task_s(method, task_files):
    axes = {"method": method, "clients_per_round": 2, "samples_per_client": 16}
    answer = answered(axes, task_files)
    assert not answer.refused, answer.sentence
    (task,) = answer.study.tasks
    (name,) = answer.study.settings[task]["asked"]
    training = answer.study.job(task, name)["training"]
    assert training["clients_per_round"] == 2
    assert method != "fbftl" or training["batch"] == 2 * 16


def test_a_step_of_unknown_size_is_refused(task_files):
    """The task gives a number of clients, so that nobody knows the samples of one."""
    answer = answered({"method": "fbftl", "clients_per_round": 2}, task_files)
    assert (answer.refused, "give samples_per_client" in answer.sentence) == ("plan", True)
