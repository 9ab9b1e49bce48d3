"""Clients that cannot be dealt are refused before any job, each in one sentence."""

import re
from typing import Any

import pytest
from fbftl.ground.errors import UserError
from fbftl.study.clients import Dealing
from fbftl.study.dealing_faults import dealing_faults, too_few_faults
from fbftl.study.model.data import ImageClients
from fbftl.study.model.validation import filled
from fbftl.study.settings import Setting

BLOCK = {"partition": "iid", "samples_per_client": 8, "clients": None, "shards_per_client": 2}
BLOCK |= {"alpha": 0.1, "draw": "once", "domains": None, "groups": None, "seed": 0}
FOUR = {"domains": ["plain", "inverted", ["mirrored", "noisy"], "flipped"]}
TEN = {"clients": 10, "samples_per_client": None}

UNSOUND: list[tuple[dict[str, Any], str]] = [
    ({"clients": 10}, "gives clients 10 and samples_per_client 8.*set one of them to null"),
    ({"samples_per_client": None}, "gives neither clients nor samples_per_client; give one"),
    ({"partition": "given", "draw": "per_seed"}, "draws clients per_seed that the data names"),
    ({"partition": "given"} | FOUR, "gives domains to clients that the data names"),
    ({"domains": ["plain", ["plain"]]}, "lists a domain twice"),
    ({"domains": ["shifted"], "draw": "per_seed"}, "shifted for each client once"),
    (FOUR | {"groups": [0, 1]}, "gives 2 groups to 4 domains"),
    ({"groups": [0, 1]}, "gives 2 groups to 0 domains"),
]


@pytest.mark.parametrize(("changes", "sentence"), UNSOUND)
def test_a_block_that_contradicts_itself_does_not(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        filled(ImageClients, BLOCK | changes)


NOT_DEALT: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({}, {"alpha": 1.0}, "alpha is for the partitions dirichlet"),
    ({"partition": "dirichlet"}, {"partition": "shards", "alpha": 1.0}, "alpha is for"),
    ({"partition": "given"}, {"clients": 8}, "the data names the clients .*: give a partition"),
    ({"partition": "given"}, {"samples_per_client": 8}, "the data names the clients"),
    ({"domains": ["shifted"]}, {"clients": 8}, "shifted for the client .*: leave clients out"),
]


@pytest.mark.parametrize(("changes", "axes", "sentence"), NOT_DEALT)
def test_what_cannot_is_refused(changes: dict, axes: dict, sentence: str) -> None:
    block = BLOCK | changes
    (fault,) = dealing_faults(block, Dealing.of(block, Setting(**axes)))
    assert re.search(sentence, fault)


TOO_MANY: list[tuple[dict[str, Any], str]] = [
    ({"samples_per_client": 101}, "samples_per_client 101, .* are 100 .* at most 100"),
    (TEN | {"clients": 101}, "clients 101, but there are 100 .* give at most 100"),
    (FOUR | {"samples_per_client": 26}, "client 26 in one of 4 domains, but there are 25"),
    (FOUR | TEN | {"clients": 3}, "4 domains for 3 clients"),
    (TEN | {"partition": "shards", "shards_per_client": 11}, "10 clients would need 110 shards"),
    ({"partition": "shards", "shards_per_client": 8}, "13 clients would need 104 shards of 100"),
    (FOUR | TEN | {"partition": "shards", "shards_per_client": 9}, "3 clients .* 27 shards of 25"),
]
ENOUGH: list[dict[str, Any]] = [
    {"samples_per_client": 100},
    TEN | {"clients": 100},
    TEN | {"partition": "shards", "shards_per_client": 10},
    FOUR | TEN | {"clients": 4},
    FOUR | TEN | {"partition": "shards", "shards_per_client": 8},
    {"partition": "given", "samples_per_client": 1000},
]


@pytest.mark.parametrize("changes", ENOUGH)
def test_what_the_samples_fill_passes(changes: dict[str, Any]) -> None:
    assert not [*too_few_faults(Dealing.of(BLOCK | changes), 100)]


@pytest.mark.parametrize(("changes", "sentence"), TOO_MANY)
def test_what_they_do_not_fill_is_refused(changes: dict[str, Any], sentence: str) -> None:
    fault = next(too_few_faults(Dealing.of(BLOCK | changes), 100))
    assert re.search(sentence, fault)
