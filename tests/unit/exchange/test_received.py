"""What run files say was received and how noisy it was, held against ledgers and accountants."""

import pandas as pd
import pytest
from fbftl.privacy.accounting import gaussian_sigma, rounds_sigma
from fbftl.study import methods
from unit.random_settings import NEEDED, NO_WARNINGS, Answer, answered

SENDING = [one.name for one in methods.RECORDS if one.sends != "nothing"]
PER_CLIENT = 31
"""Rows of each of the four clients of the digits."""
COMMON = 50
"""Samples that both parties of Secure FTL have."""
OWN_MODELS = ("fd", "fedmd")
"""Methods whose clients train models of their own on all their rows, whatever arrives."""
LOSSY = [name for name in SENDING if methods.record(name).knows("plr")]
pytestmark = NO_WARNINGS


@pytest.mark.parametrize(
    ("method", "plr"),
    [(method, 0.5) for method in LOSSY]
    + [(method, 0.9999) for method in ("fbftl", "fl", "fedavg")],
)
def test_received_is_what_arrived(method, plr, task_files):
    answer = answered({"method": method, "plr": plr, **NEEDED.get(method, {})}, task_files)
    arrived = require_received(answer)
    assert plr < 0.9 or not len(arrived)  # so that the rate above shows what nothing counts as


@pytest.mark.parametrize("method", [name for name in SENDING if name not in LOSSY])
def test_received_where_nothing_is_lost(method, task_files):
    more = {"uploaders": 2} if method == "ecos" else {}
    require_received(answered({"method": method} | NEEDED.get(method, {}) | more, task_files))


def require_received(answer: Answer) -> pd.DataFrame:
    """Hold a run's counts against its ledger; return its rows of clients' messages that arrived."""
    assert not answer.refused, answer.sentence
    rows = answer.outcome.ledger.table().to_pandas()
    (repetition,) = answer.outcome.repetitions
    method, received, seen = answer.axes["method"], repetition["received"], repetition["seen"]
    arrived = rows[(rows["sender"] == "client") & (rows["lost"] == False)]  # noqa: E712
    senders = arrived["client"].nunique()
    if method == "fade":  # users of two sizes
        assert (received == repetition["offered"]) == (senders == repetition["clients"])
        assert 0 < received <= repetition["offered"]
    elif rows["sample"].notna().any():
        assert received == arrived["sample"].notna().sum()
    elif method == "secure_ftl":
        assert received == (COMMON if senders else 0)
    else:
        assert received == PER_CLIENT * senders
    assert seen <= received or method in (*OWN_MODELS, "ecos")
    assert method not in OWN_MODELS or seen == repetition["offered"]
    return arrived


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
