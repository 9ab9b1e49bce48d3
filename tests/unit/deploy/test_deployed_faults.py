"""What a network does to answers: the server goes on with what is left, and refuses the rest."""

from dataclasses import replace

import numpy as np
import pytest
from fbftl.exchange.ring_messages import seal
from fbftl.ground.errors import UserError
from fbftl.ground.ring import Ring
from fbftl_deploy.dealer import DealerProcess
from fbftl_deploy.plans import DealerPlan
from unit.deploy.in_process import params_of, planned, run
from unit.tasks.toy_task import make_task


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return make_task(tmp_path_factory.mktemp("task"))


@pytest.fixture
def plans(files, tmp_path):
    return planned(files, params_of("fbftl", {}), tmp_path)


def without(plans, client):
    """The run on the list of answers in which one client's is missing."""
    return run(plans, lambda sent: [] if sent.client == client else [sent])[0]


def damaged(sent):
    return replace(sent, messages=(sent.messages[0][:-1] + b"\0", *sent.messages[1:]))


FAULTS = {
    "garbage": (lambda sent: replace(sent, messages=(b"garbage",) * len(sent.messages)), "decoded"),
    "a flipped byte": (damaged, "checksum"),
    "too few messages": (lambda sent: replace(sent, messages=sent.messages[1:]), "7 uploads"),
    "another version": (lambda sent: replace(sent, version=9), "version 9"),
    "a replayed run": (lambda sent: replace(sent, run="0" * 16), "another request"),
    "a replayed request": (lambda sent: replace(sent, request_number=0), "another request"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_answer_is_refused_with_a_sentence_and_the_rest_trains(plans, fault):
    change, reason = FAULTS[fault]
    served, exchange, _ = run(plans, lambda sent: [change(sent) if sent.client == 2 else sent])
    (sentence,) = exchange.refused
    assert sentence.startswith("an answer of client 2 is refused: ")
    assert reason in sentence
    assert served.models == without(plans, 2).models


def test_a_second_answer_and_a_strangers_change_nothing(plans):
    clean, *_ = run(plans)
    served, exchange, _ = run(plans, lambda sent: [sent, sent, replace(sent, client=99)])
    assert served.models == clean.models
    assert len(exchange.refused) == 2 * 16


def test_the_ledger_says_who_did_not_arrive(plans):
    table = without(plans, 2).ledger.table()
    lost = {
        row["client"]
        for row in table.select(["direction", "client", "lost"]).to_pylist()
        if row["direction"] == "up" and row["lost"]
    }
    assert lost == {2}


def test_nothing_that_arrives_is_one_sentence(plans):
    with pytest.raises(UserError, match="no upload arrived"):
        run(plans, lambda sent: [])


def test_rounds_go_on_without_a_client_that_left(files, tmp_path):
    plans = planned(files, params_of("ftl_c", {}), tmp_path)
    served, exchange, _ = run(plans, lambda sent: [] if sent.client == 2 else [sent])
    assert exchange.refused == []
    assert len(set(served.models)) == len(served.models) == 3


CALL = {"kind": "masks", "count": 5, "bits": 64, "fraction_bits": 24, "token": "word"}
IDS = Ring(32)


def test_a_dealer_tells_a_sum_once_and_of_two_at_least():
    process = DealerProcess(DealerPlan(0, "word", "00" * 32, {"1": "mine"}))
    pair, other = (seal(np.array(ids, dtype=np.uint64), IDS, 1) for ids in ([1, 2], [1, 3]))
    assert process.reply(CALL | {"sum_number": 1}, pair) == process.reply(
        CALL | {"sum_number": 1}, pair
    )
    with pytest.raises(ValueError, match="two sets show what one sent"):
        process.reply(CALL | {"sum_number": 1}, other)
    with pytest.raises(ValueError, match="fewer than 2"):
        process.reply(CALL | {"sum_number": 2}, seal(np.array([1], dtype=np.uint64), IDS, 2))
    with pytest.raises(ValueError, match="does not know the word"):
        process.reply({"kind": "key", "client": 1, "token": "word"}, b"")
