"""Clients that cannot be dealt are refused before any job, each in one sentence."""

import re
from typing import Any

import pytest
from fbftl.ground.errors import UserError
from fbftl.study.clients import Dealing
from fbftl.study.dealing_faults import dealing_faults, too_few_faults
from fbftl.study.feasibility import Sizes, require_feasible
from fbftl.study.model.data import ImageClients
from fbftl.study.model.validation import filled
from fbftl.study.settings import Setting
from unit.study.test_refused_settings import study

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
def test_a_block_that_contradicts_itself_does_not(changes, sentence):
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
def test_what_cannot_is_refused(changes, axes, sentence):
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
def test_what_the_samples_fill_passes(changes):
    assert not [*too_few_faults(Dealing.of(BLOCK | changes), 100)]


@pytest.mark.parametrize(("changes", "sentence"), TOO_MANY)
def test_what_they_do_not_fill_is_refused(changes, sentence):
    fault = next(too_few_faults(Dealing.of(BLOCK | changes), 100))
    assert re.search(sentence, fault)


def test_memories_are_known_by_cut_and_network():
    """The paper's head behind 4,096 features: 892 GB, and not the 472 of its hidden widths."""
    paper = {"head": [4096, 4096, 512], "clients": {"samples_per_client": 8}}
    paper_study = study(paper, method=["ftl_c"], bits=[2])
    with pytest.raises(UserError, match=r"ftl_c\+bits=2' .* 6,250 clients remember 892 GB tog"):
        require_feasible(paper_study, "digits", 50_000, sizes=Sizes(heads={"relu_fc1": 35_668_490}))
    few = study(paper, method=["ftl_c"], bits=[2], fraction=[0.001])
    require_feasible(few, "digits", 50_000, sizes=Sizes(heads={"relu_fc1": 35_668_490}))
    whole = study({}, method=["fl"], bits=[2])
    require_feasible(whole, "digits", 1438, sizes=Sizes(networks={None: 10**6}))
    with pytest.raises(UserError, match="180 clients remember 7 GB"):
        require_feasible(whole, "digits", 1438, sizes=Sizes(networks={None: 10**7}))


def test_memories_may_go_to_a_scratch_folder_that_exists(tmp_path):
    large = study({"head": [4096, 4096]}, method=["fl"], bits=[8])
    large.config["scratch_folder"] = str(tmp_path)
    require_feasible(large, "digits", 1438)
    large.config["scratch_folder"] = str(tmp_path / "missing")
    with pytest.raises(UserError, match="missing', which is no folder; make it first"):
        require_feasible(large, "digits", 1438)
