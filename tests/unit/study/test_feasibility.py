"""Rounds and clients that the data cannot fill are refused before any job."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fbftl.data.datasets import load, training_count
from fbftl.ground.errors import UserError
from fbftl.study.config import Study, resolve
from fbftl.study.dealing_faults import OF_SHARDS
from fbftl.study.feasibility import Sizes, least_parameters, require_feasible

DIGITS = {"kind": "digits", "test_fraction": 0.2, "seed": 0}


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
        {"training": {"clients_per_round": 181}},
        {"method": ["ftl_c"]},
        "has clients_per_round 181.*are 180 clients",
    ),
    (
        {"clients": {"clients": 5, "samples_per_client": None}},
        {"method": ["sfl"]},
        "clients_per_round 8, but there are 5 clients; give at most 5",
    ),
    (
        {"clients": {"samples_per_client": 1439}},
        {"method": ["fbftl"]},
        "digits.clients has samples_per_client 1439, but there are 1438 training samples",
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
    ({}, {"clients": [4, 2000]}, "on digits has clients 2000.*at most 1438"),
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


def test_no_clients_per_round_is_refused_by_the_model(root: Path) -> None:
    with pytest.raises(UserError, match="clients_per_round is 0; give at least 1"):
        study(root, {"training": {"clients_per_round": 0}}, method=["fl"])


@pytest.mark.parametrize("changes", [{}, {"test_fraction": 0.33}, {"limit": {"train": 100}}])
def test_the_cheap_count_of_digits_is_the_real_one(changes: dict) -> None:
    spec = DIGITS | changes
    assert training_count(spec, None) == len(load(spec, None).train)


def test_chosen_classes_are_not_counted_in_advance() -> None:
    assert training_count(DIGITS | {"classes": [0, 1]}, None) is None


def test_the_cheap_count_of_idx_files_is_their_header(tmp_path: Path) -> None:
    shape = np.array([7, 2, 2], dtype=">i4").tobytes()
    (tmp_path / "images").write_bytes(b"\0\0\x08\x03" + shape + bytes(28))
    (tmp_path / "labels").write_bytes(b"\0\0\x08\x01" + np.array([7], ">i4").tobytes() + bytes(7))
    files = {"images": "images", "labels": "labels"}
    spec = {"kind": "idx", "train": files, "test_fraction": 0.3, "seed": 0}
    assert training_count(spec, tmp_path) == 7 - 2
    assert training_count(spec | {"test": files}, tmp_path) == 7


def test_memories_may_go_to_a_scratch_folder_that_exists(root: Path, tmp_path: Path) -> None:
    large = study(root, {"head": [4096, 4096]}, method=["fl"], bits=[8])
    large.config["scratch_folder"] = str(tmp_path)
    require_feasible(large, "digits", 1438)
    large.config["scratch_folder"] = str(tmp_path / "missing")
    with pytest.raises(UserError, match="missing', which is no folder; make it first"):
        require_feasible(large, "digits", 1438)


def test_the_papers_head_has_more_parameters_than_the_bound() -> None:
    assert least_parameters((4096, 4096, 512)) == 4097 * 4096 + 4097 * 512 < 35_665_418
    assert least_parameters((64,)) == least_parameters(()) == 0


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


def test_sums_that_nothing_bounds_are_left_to_their_jobs(root: Path) -> None:
    require_feasible(study(root, CLIPPED, **MASKED, fraction_bits=[60]), "digits", 1438)


def test_masked_counts_stay_in_the_ring(root: Path) -> None:
    axes = {"method": ["ecos"], "purchase": [300], "aggregation": ["masked"], "clients": [50]}
    axes |= {"mechanism": ["counts"], "sigma": [10.0]}
    task = {"public": {"sources": [{"data": {"kind": "digits"}}]}, "privacy": {"delta": 1e-5}}
    require_feasible(study(root, task, **axes, fraction_bits=[52]), "digits", 1438)
    with pytest.raises(UserError, match=r"size up to 1,568 with 53 bits .* ring of 65 bits"):
        require_feasible(study(root, task, **axes, fraction_bits=[53]), "digits", 1438)


def test_bits_behind_the_point_need_a_masked_sum(root: Path) -> None:
    with pytest.raises(UserError, match="fraction_bits 20, which has no effect"):
        study(root, CLIPPED, **STATISTICS, fraction_bits=[20])


def test_no_setting_deals_as_the_data_does(root: Path) -> None:
    """On any data: a task whose data names clients has `clients.partition` for it."""
    with pytest.raises(UserError, match=r"partition.*'given'"):
        study(root, {}, method=["fbftl"], partition=["given"])
