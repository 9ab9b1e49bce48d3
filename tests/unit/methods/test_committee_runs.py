"""Whole runs by a committee: what they equal, what they cost, what their noise guarantees."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from fbftl.ground.errors import UserError
from fbftl.messages.statistics import length
from fbftl.methods.ccvr.run import run as run_ccvr
from fbftl.methods.fedavg.run import run as run_fedavg
from fbftl.privacy.composition import compose, read
from fbftl.privacy.statistics import shares_guarantee
from fbftl.study.job import Job, from_params
from fbftl.study.methods import axes_by_method
from fbftl.study.release import noise_seed, release_of
from fbftl.study.rings import LARGEST_NORMAL
from fbftl.tasks.task import Inputs, Outcome
from unit.methods.ecos.test_ecos import inputs as ecos_inputs  # noqa: F401
from unit.methods.ecos.test_ecos import run as run_ecos
from unit.methods.fade.fade_toys import PLAIN, trained
from unit.methods.method_toys import CLASSES, WIDTH, job, one_shot, toy_inputs
from unit.tasks.toy_task import CLIENTS, HEAD, TRAINING, make_task
from unit.tasks.toy_vectors import make_vectors

COMMITTEE = {"aggregation": "committee"}
STATISTICS = {"message": "statistics", "head": "lda"}
NOISY = {"mechanism": "gaussian", "epsilon": 20.0}
DELTA = 1e-6
OF_THE_WAY = {"committee", "uplink_bits", "uplink_payload_bits", "downlink_bits"}


@pytest.fixture(scope="module")
def blobs(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    return toy_inputs(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    files = make_task(tmp_path_factory.mktemp("task"))
    return Inputs(device=torch.device("cpu"), **{k: Path(v) for k, v in files.items()})


def training_job(axes: dict[str, Any], **training) -> Job:
    local = {"rounds": 2, "local_batch": 3, "clients_per_round": 5, "validation": 0.0}
    network = {"kind": "mlp", "fc": [5], "norm": "none", "dropout": 0.0, "cut": "relu_fc1"}
    return from_params(
        {
            "task": "toy", "kind": "images", "setting": axes, "seeds": [1], "clients": CLIENTS,
            "training": TRAINING | local | training, "privacy": {},
            "block": {"head": HEAD, "network": network},
        },
        axes_by_method(),
    )  # fmt: skip


def parties(outcome: Outcome) -> set[str]:
    table = outcome.ledger.table().to_pandas()
    return {*table["sender"], *table["receiver"]}


def same_but_the_way(first: Outcome, second: Outcome) -> None:
    for one, other in zip(first.repetitions, second.repetitions, strict=True):
        same = (one.keys() | other.keys()) - OF_THE_WAY
        assert {key: one[key] for key in same} == {key: other[key] for key in same}
        assert one["uplink_bits"] < other["uplink_bits"]
        assert "committee" not in one
    assert "dealer" in parties(first) - parties(second)
    assert "member" in parties(second) - parties(first)


@pytest.mark.parametrize(
    "message", [STATISTICS, {"message": "projected", "projection": 8, "head": "ridge"}]
)
def test_heads_by_a_committee_are_those_by_a_dealer(blobs, message):
    by_dealer, by_committee = (
        one_shot(blobs, message | {"aggregation": how, "plr": 0.2})
        for how in ("masked", "committee")
    )
    same_but_the_way(by_dealer, by_committee)
    assert by_committee.repetitions[0]["committee"]["withheld"] == []


def test_means_are_summed_too_and_numbers_are_counted_without_boxes(blobs):
    means = {"message": "means", "head": "ncm"}
    ours = one_shot(blobs, means | COMMITTEE)
    same_but_the_way(one_shot(blobs, means | {"aggregation": "masked"}), ours)
    assert {r["numbers_per_batch"] for r in ours.repetitions} == {CLASSES * (WIDTH + 1)}


def test_an_absent_sum_is_a_constant_guess_that_says_why(blobs):
    outcome = one_shot(blobs, STATISTICS | COMMITTEE | {"least_arrivals": 0.9, "plr": 0.3})
    for repetition in outcome.repetitions:
        assert repetition["received"] == 0
        assert repetition["test_accuracy"] == pytest.approx(1 / 3)
        assert "no sum is told of fewer than" in repetition["committee"]["withheld"][0]


def test_shares_of_all_clients_meet_epsilon_and_of_fewer_it_is_recomputed(blobs):
    outcome = one_shot(blobs, STATISTICS | COMMITTEE | NOISY)
    (record,) = outcome.repetitions[0]["privacy"]
    assert record["epsilon"] == pytest.approx(20.0, rel=1e-3)
    assert record["epsilon"] <= 20.0
    composed = compose(read(record["events"]), record["delta"], "replace-one")
    assert (composed.epsilon, composed.accountant) == (pytest.approx(record["epsilon"]), "zCDP")
    lossy = one_shot(blobs, STATISTICS | COMMITTEE | NOISY | {"plr": 0.4})
    for repetition in lossy.repetitions:
        (fewer,) = repetition["privacy"]
        assert fewer["epsilon"] > 1.05 * record["epsilon"]
        assert fewer["noise_std"] < record["noise_std"] == fewer["sigma"]


def test_epsilon_of_arrivals_is_that_of_the_sum_with_the_fewest(blobs):
    """Without clients held out there is one sum, of which the ledger says who arrived."""
    axes = STATISTICS | COMMITTEE | {"mechanism": "gaussian", "sigma": 2.0, "plr": 0.4}
    outcome = one_shot(blobs, axes, validation=0.0, shrinkage=[0.1])
    table = outcome.ledger.table().to_pandas()
    for repetition in outcome.repetitions:
        up = table.query("part == 'statistics'")
        lost = up[up["seed"] == repetition["seed"]]["lost"].astype(bool)
        (record,) = repetition["privacy"]
        wanted = shares_guarantee(
            clip_norm=record["clip_norm"], std=2.0, delta=record["delta"],
            numbers=length(CLASSES, WIDTH), fraction_bits=24, planned=30,
            arrived=int((~lost).sum()),
        )  # fmt: skip
        assert record["epsilon"] == wanted.epsilon


def test_the_ring_holds_the_shares_of_all_clients(blobs):
    sigma = 5.0
    axes = STATISTICS | {"mechanism": "gaussian", "sigma": sigma}
    bounds = {
        how: one_shot(blobs, axes | {"aggregation": how}).repetitions[0]["largest_sum"]
        for how in ("masked", "committee")
    }
    more = LARGEST_NORMAL * sigma * (np.sqrt(30) - 1)
    assert bounds["committee"] - bounds["masked"] == pytest.approx(more)


def test_too_few_bits_behind_the_point_for_shares_are_one_sentence(blobs):
    with pytest.raises(UserError, match="give more fraction_bits, or more noise"):
        one_shot(blobs, STATISTICS | COMMITTEE | NOISY | {"fraction_bits": 0})


def test_shares_over_another_link_or_for_others_are_other_noise_and_another_release():
    axes = {"method": "one_shot"} | STATISTICS | COMMITTEE | NOISY
    plain, lossy, other = (
        job(axes | more) for more in ({}, {"plr": 0.2}, {"committee_members": 3})
    )
    some = np.arange(4)
    assert noise_seed(plain, 0, some) != noise_seed(lossy, 0, some)
    assert release_of(plain) != release_of(lossy)
    assert noise_seed(plain, 0, some) != noise_seed(other, 0, some)
    assert release_of(plain) != release_of(other)


@pytest.mark.parametrize("aggregation", ["masked", "committee"])
def test_fedavg_by_sums_is_fedavg_to_the_last_digits(samples, aggregation):
    axes = {"method": "fedavg", "plr": 0.3}
    outcomes = [
        run_fedavg(training_job(axes | {"aggregation": how}), samples)
        for how in ("open", aggregation)
    ]
    curves = [outcome.repetitions[0]["series"]["loss"] for outcome in outcomes]
    np.testing.assert_allclose(*curves, rtol=1e-4)
    tables = [outcome.ledger.table().to_pandas() for outcome in outcomes]
    weights = [table.query("direction == 'up' and part == 'weights'") for table in tables]
    assert weights[0]["lost"].tolist() == weights[1]["lost"].tolist()
    assert weights[1]["encoded"].eq("made").all()
    assert weights[1]["sha256"].nunique() == len(weights[1]) == 10
    (repetition,) = outcomes[1].repetitions
    assert repetition["ring_bits"] == 64


def test_fedavg_by_a_committee_is_fedavg_by_a_dealer(samples):
    by_dealer, by_committee = (
        run_fedavg(training_job({"method": "fedavg", "aggregation": how, "plr": 0.3}), samples)
        for how in ("masked", "committee")
    )
    same_but_the_way(by_dealer, by_committee)


def test_a_diverged_seed_of_sums_ends(samples):
    job_ = training_job({"method": "fedavg"} | COMMITTEE, learning_rate=1e38)
    (repetition,) = run_fedavg(job_, samples).repetitions
    assert repetition["diverged"]


def test_ccvr_by_a_committee_is_ccvr_by_a_dealer(samples):
    axes = {"method": "ccvr", "server_epochs": 2}
    outcomes = [
        run_ccvr(training_job(axes | {"aggregation": how}), samples)
        for how in ("masked", "committee")
    ]
    same_but_the_way(*outcomes)


def test_counts_by_a_committee_are_those_by_a_dealer(ecos_inputs):  # noqa: F811
    by_dealer, by_committee = (
        run_ecos(ecos_inputs, aggregation=how) for how in ("masked", "committee")
    )
    same_but_the_way(by_dealer, by_committee)


def test_fade_by_a_committee_is_fade_by_a_dealer(tmp_path):
    files = make_vectors(tmp_path)
    by_dealer, by_committee = (
        trained(files, PLAIN | {"aggregation": how}, rounds=3) for how in ("masked", "committee")
    )
    assert torch.equal(by_dealer.networks.flat(), by_committee.networks.flat())
    parts = set(by_committee.ledgers[0].table().to_pandas()["part"])
    assert parts == {"key", "weights", "boxes", "arrivals", "answer"}
    (trial, _) = by_committee.trials
    assert not trial.server.is_open
    assert trial.server.leaked()["leak"] < 1
