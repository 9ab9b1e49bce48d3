"""Departures: the first job whose own inputs agree, and why it differs."""

from dataclasses import replace

from fbftl.ground.departures import NOTHING_KNOWN, Made, departing, first_departures

CODE, OTHER = f"'{'a' * 64}'", f"'{'b' * 64}'"
STUDY = {
    "clients": Made("1", "1", "clients", {}, (CODE, "{'K': 8}"), 1.0),
    "run": Made("2", "2", "train", {"clients": "1"}, (CODE, "{'q': 2}"), 2.0),
    "table": Made("3", "3", "tabulate", {"run": "2"}, (CODE,), 3.0),
}


def reasons(other):
    return [(departure.path, departure.reason) for departure in first_departures(STUDY, other)]


def test_equal_studies_part_nowhere():
    assert departing(STUDY, dict(STUDY)) == set()
    assert first_departures(STUDY, dict(STUDY)) == []


def test_what_follows_a_departure_is_not_where_it_begins():
    other = STUDY | {
        "run": replace(STUDY["run"], digest="x", sealed="x", params=(OTHER, "{'q': 2}")),
        "table": replace(STUDY["table"], digest="y", inputs={"run": "x"}),
    }
    assert departing(STUDY, other) == {"run", "table"}
    assert reasons(other) == [("run", "code")]


def test_every_reason():
    run = replace(STUDY["run"], digest="x", sealed="x")
    assert reasons(STUDY | {"run": run}) == [("run", NOTHING_KNOWN)]
    assert reasons(STUDY | {"run": replace(run, params=(CODE, "{'q': 4}"))}) == [("run", "params")]
    both = replace(run, params=(OTHER, "{'q': 4}"))
    assert reasons(STUDY | {"run": both}) == [("run", "code, params")]
    byte = replace(STUDY["run"], digest="x")
    assert reasons(STUDY | {"run": byte}) == [("run", "changed after its job wrote it")]
    read = replace(run, inputs={"clients": "1", "published": "9"})
    assert reasons(STUDY | {"run": read}) == [("run", "inputs")]


def test_a_result_of_one_study_only():
    fewer = {path: result for path, result in STUDY.items() if path != "table"}
    assert reasons(fewer) == [("table", "only in the first")]
    assert first_departures(fewer, STUDY)[0].reason == "only in the second"
