"""Rounds and clients that the data cannot fill are refused before any job."""

from pathlib import Path
from typing import Any

import pytest
from fbftl.ground.errors import UserError
from fbftl.study.config import Study, resolve
from fbftl.study.dealing_faults import OF_SHARDS
from fbftl.study.feasibility import Sizes, require_feasible


def study(root: Path, task: dict[str, Any], **axes: list[Any]) -> Study:
    """Return a study of one experiment on digits, of 1,438 training samples."""
    base = {
        "data": {"kind": "digits"},
        "source": {"kind": "pretrain", "image": [8, 8, 1]},
        "features": {"cut": "fc1"},
    }
    config = {
        "study": {"tasks": ["digits"], "experiments": ["methods"]},
        "tasks": {"digits": base | task},
        "experiments": {"methods": {"grids": [axes]}},
    }
    return resolve(config)


ALLOWED = [
    ({}, {"method": ["fl", "fbftl"]}),
    ({"training": {"clients_per_round": 180}}, {"method": ["ftl_c"]}),
    ({"training": {"clients_per_round": 181}}, {"method": ["fbftl"]}),
    ({"clients": {"partition": "given"}}, {"method": ["fl"]}),
    ({}, {"method": ["fl"], "samples_per_client": [600, 1438]}),
    ({"head": [4096, 4096]}, {"method": ["fl"], "bits": [8], "feedback": [False]}),
    ({"head": [4096, 4096]}, {"method": ["fbftl"], "bits": [8]}),
    ({"head": [4096, 4096]}, {"method": ["fl"]}),
    ({"head": [1024, 4096]}, {"method": ["fl"], "keep": [0.1]}),
    ({"head": [4096, 4096]}, {"method": ["fl"], "bits": [8], "clients": [8]}),
]
REFUSED = [
    (
        {"training": {"clients_per_round": 181}},
        {"method": ["fedavg"]},
        "'fedavg' on digits has clients_per_round 181, but there are 180 clients; give at most 180",
    ),
    (
        {"clients": {"clients": 5, "samples_per_client": None}},
        {"method": ["sfl"]},
        "clients_per_round 8, but there are 5 clients; give at most 5",
    ),
    (
        {"head": [4096, 4096]},
        {"method": ["ftl_c"], "keep": [0.1]},
        r"180 clients remember at least 12 GB.*scratch_folder.*feedback: \[false\]",
    ),
    (
        {"head": [1024, 1024]},
        {"method": ["fl"], "bits": [8], "samples_per_client": [1]},
        r"1,438 clients remember at least 6 GB",
    ),
    ({}, {"samples_per_client": [4, 2000]}, "on digits has samples_per_client 2000.*at most 1438"),
    (
        {"clients": {"shards_per_client": 1000}},
        {"partition": ["shards"]},
        "on digits has shards_per_client 1000: 180 clients would need 180000 shards",
    ),
]


@pytest.mark.parametrize(("task", "axes"), ALLOWED)
def test_what_the_data_can_fill_passes(root: Path, task: dict, axes: dict) -> None:
    require_feasible(study(root, task, **axes), "digits", 1438)


@pytest.mark.parametrize(("task", "axes", "sentence"), REFUSED)
def test_what_it_cannot_is_one_sentence(root: Path, task: dict, axes: dict, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        require_feasible(study(root, task, **axes), "digits", 1438)


def test_memories_are_known_by_cut_and_network(root: Path) -> None:
    """The paper's head behind 4,096 features: 892 GB, and not the 472 of its hidden widths."""
    paper = {"head": [4096, 4096, 512], "clients": {"samples_per_client": 8}}
    paper_study = study(root, paper, method=["ftl_c"], bits=[2])
    with pytest.raises(UserError, match=r"ftl_c\+bits=2' .* 6,250 clients remember 892 GB tog"):
        require_feasible(paper_study, "digits", 50_000, sizes=Sizes(heads={"fc1": 35_668_490}))
    few = study(root, paper, method=["ftl_c"], bits=[2], fraction=[0.001])
    require_feasible(few, "digits", 50_000, sizes=Sizes(heads={"fc1": 35_668_490}))
    whole = study(root, {}, method=["fl"], bits=[2])
    require_feasible(whole, "digits", 1438, sizes=Sizes(networks={None: 10**6}))
    with pytest.raises(UserError, match="180 clients remember 7 GB"):
        require_feasible(whole, "digits", 1438, sizes=Sizes(networks={None: 10**7}))


def test_without_a_count_only_given_numbers_are_compared(root: Path) -> None:
    huge = {"clients": {"samples_per_client": 10**6}}
    require_feasible(study(root, huge, method=["fl"]), "digits", None)
    five = {"clients": {"clients": 5, "samples_per_client": None}}
    with pytest.raises(UserError, match="5 clients"):
        require_feasible(study(root, five, method=["fl"]), "digits", None)


def test_clients_that_the_data_name_are_counted_too(root: Path) -> None:
    named = study(root, {"clients": {"partition": "given"}}, method=["fl"])
    require_feasible(named, "digits", None, named=8)
    with pytest.raises(UserError, match="clients_per_round 8, but there are 7 clients"):
        require_feasible(named, "digits", None, named=7)


def test_memories_may_go_to_a_scratch_folder_that_exists(root: Path, tmp_path: Path) -> None:
    large = study(root, {"head": [4096, 4096]}, method=["fl"], bits=[8])
    large.config["scratch_folder"] = str(tmp_path)
    require_feasible(large, "digits", 1438)
    large.config["scratch_folder"] = str(tmp_path / "missing")
    with pytest.raises(UserError, match="missing', which is no folder; make it first"):
        require_feasible(large, "digits", 1438)


@pytest.mark.parametrize("partition", OF_SHARDS)
def test_a_client_holds_no_more_classes_than_there_are(root: Path, partition: str) -> None:
    ten = Sizes(classes=10)
    by_shards = study(
        root, {"clients": {"shards_per_client": 11}}, partition=[partition], clients=[4]
    )
    with pytest.raises(UserError, match=r"shards_per_client 11, .* are 10 classes; .* most 10"):
        require_feasible(by_shards, "digits", 1438, sizes=ten)
    require_feasible(by_shards, "digits", 1438)
    without_shards = study(root, {"clients": {"shards_per_client": 11}}, method=["fbftl"])
    require_feasible(without_shards, "digits", 1438, sizes=ten)


STATISTICS = {"method": ["one_shot"], "message": ["statistics"], "head": ["lda"]}
MASKED = STATISTICS | {"aggregation": ["masked"]}
CLIPPED = {"privacy": {"feature_clip": {"norm": 24.4}}}


def test_masked_sums_of_clipped_rows_stay_in_the_ring(root: Path) -> None:
    """A row is clipped and scaled to length one: 1,438 rows take 11 bits, and one is the sign."""
    private = MASKED | {"mechanism": ["gaussian"], "sigma": [1.0]}
    room = study(root, CLIPPED, **private, fraction_bits=[52])
    require_feasible(room, "digits", 1438)
    beyond = study(root, CLIPPED, **private, fraction_bits=[24, 53])
    with pytest.raises(
        UserError,
        match=r"fraction_bits=53' on digits has masked sums of size up to 1,452.4 with 53 bits .* "
        r"need a ring of 65 bits where numbers have 64 at most; give fraction_bits at most 52, or",
    ):
        require_feasible(beyond, "digits", 1438)
    require_feasible(beyond, "digits", 700)
    require_feasible(beyond, "digits", None)


def test_masked_counts_stay_in_the_ring(root: Path) -> None:
    axes = {"method": ["ecos"], "purchase": [300], "aggregation": ["masked"], "clients": [50]}
    axes |= {"mechanism": ["counts"], "sigma": [10.0]}
    task = {"public": {"sources": [{"data": {"kind": "digits"}}]}, "privacy": {"delta": 1e-5}}
    require_feasible(study(root, task, **axes, fraction_bits=[52]), "digits", 1438)
    with pytest.raises(UserError, match=r"size up to 1,568 with 53 bits .* ring of 65 bits"):
        require_feasible(study(root, task, **axes, fraction_bits=[53]), "digits", 1438)
