"""What a network does to answers: the server goes on with what is left, and refuses the rest."""

from dataclasses import replace

import pytest
from fbftl.exchange.arrivals import ClientAnswer
from fbftl.ground.errors import UserError
from fbftl_deploy.comparison import wire_table
from unit.deploy.in_process import params_of, planned, run


@pytest.fixture
def plans(files):
    return planned(files, params_of("fbftl", {}))


def without(plans):
    """The run on the list of answers in which client 2's is missing."""
    return run(plans, lambda sent: [] if sent.client == 2 else [sent])


def changing(change):
    """The network that changes the messages of client 2."""
    return lambda sent: [
        replace(sent, messages=change(sent.messages)) if sent.client == 2 else sent
    ]


FAULTS = {
    "garbage": (lambda messages: [b"garbage"] * len(messages), "decoded"),
    "a flipped byte": (lambda messages: [messages[0][:-1] + b"\0", *messages[1:]], "checksum"),
    "too few messages": (lambda messages: messages[1:], "7 uploads"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_answer_is_refused_with_a_sentence_and_the_rest_trains(plans, fault):
    change, reason = FAULTS[fault]
    served, exchange, _ = run(plans, changing(change))
    (sentence,) = exchange.refused
    assert sentence.startswith("an answer of client 2 is refused: ")
    assert reason in sentence
    assert served.models == without(plans)[0].models


def test_a_second_answer_and_a_strangers_change_nothing(plans):
    clean, *_ = run(plans)
    served, exchange, _ = run(plans, lambda sent: [sent, sent, replace(sent, client=99)])
    assert served.models == clean.models
    assert len(exchange.refused) == 2 * 16


WRONG_TYPES = (
    {"client": "x"},
    {"client": True},
    {"messages": 3},
    {"messages": [3]},
    {"messages": ["abc"]},
)


@pytest.mark.parametrize("wrong", WRONG_TYPES, ids=str)
def test_a_record_of_wrong_types_is_no_answer(wrong):
    record = {"client": 2, "messages": [b"abc"]}
    assert ClientAnswer(**record).messages == [b"abc"]
    with pytest.raises(ValueError, match=f"its {next(iter(wrong))}"):
        ClientAnswer(**record | wrong)


def test_bytes_are_those_of_answers_that_were_taken(plans):
    def network(sent):
        counted = replace(sent, objects=1 + sum(map(len, sent.messages)))
        if sent.client == 2:
            return [replace(counted, messages=[b"garbage"])]
        return [counted, counted, replace(counted, client=99)]

    _, exchange, sent = run(plans, network)
    expected = {client: {"messages": n, "objects": 1 + n} for client, n in enumerate(sent)}
    del expected[2]
    assert exchange.traffic == expected


def test_a_client_of_whom_nothing_comes_is_named(files, plans):
    _, exchange, _ = run(plans)
    assert exchange.failed == []
    _, exchange, _ = without(plans)
    assert exchange.failed == ["client 2 gave no answer"]
    _, exchange, _ = without(planned(files, params_of("ftl_c", {})))
    assert exchange.failed[0] == "client 2 gave no answer in round 2"


def test_the_ledger_has_what_came(plans):
    table = without(plans)[0].ledger.table().select(["direction", "client"]).to_pylist()
    assert {row["client"] for row in table if row["direction"] == "up"} == {*range(16)} - {2}


@pytest.mark.parametrize("method", ["fbftl", "one_shot"])
def test_nothing_that_arrives_is_one_sentence(files, method):
    axes = {"message": "statistics", "head": "lda"} if method == "one_shot" else {}
    with pytest.raises(UserError, match="arrived, so that there is nothing to"):
        run(planned(files, params_of(method, axes)), lambda sent: [])


@pytest.mark.parametrize("method", ["ftl_c", "fedavg"])
def test_rounds_go_on_without_a_client_that_left(files, method):
    plans = planned(files, params_of(method, {}, **({"rounds": 2} if method == "fedavg" else {})))
    served, exchange, _ = without(plans)
    assert exchange.refused == []
    assert len(set(served.models)) == len(served.models)


def test_rounds_of_which_nothing_arrives_change_nothing(files, tmp_path):
    served, exchange, _ = run(planned(files, params_of("ftl_c", {})), lambda sent: [])
    assert len(served.models) == 3
    served.ledger.write(tmp_path / "ledger.parquet")
    wire = wire_table(exchange.traffic, tmp_path / "ledger.parquet")
    assert wire.column_names == ["client", "ledger", "messages", "objects"]
    assert wire.num_rows == 0
