"""EPPFL in whole runs: what it equals, a round's messages by hand, masks, and who drops out."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from fbftl.exchange.averaging import by_samples, by_weights, weights_or_updates
from fbftl.exchange.repetition import run_rounds
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.methods.eppfl import run as edges
from fbftl.methods.eppfl.run import masked_mean
from fbftl.privacy.masking import Dealer, from_ring, to_ring
from fbftl.study.job import Job
from fbftl.training.local_network import LocalNetwork, local_network
from fbftl.training.tasks.images_samples import ClientImageSamples, client_samples
from fbftl.training.tasks.task import Inputs, Outcome, Repetition
from unit.training.tasks import toy_task
from unit.training.tasks.toy_task import CLIENTS, LOCAL

SEED = 3
CNN = {
    "kind": "cnn", "channels": [[2, 3], [3]], "kernel": 3, "padding": "same", "pool": 2,
    "fc": [6], "norm": "none", "dropout": 0.0, "pool_dropout": 0.0, "cut": "relu1_1",
}  # fmt: skip
OWN, REST = 2 * 10, 3 * 19 + 3 * 28 + 6 * 13 + 10 * 7
N = 2 * 64
"""Activations of a sample at the cut."""
EQUAL = CLIENTS | {"clients": 31, "samples_per_client": None}
"""Clients with four samples each."""


def job(
    axes: Mapping[str, Any], method: str = "eppfl", cut: str = "relu1_1", **changed: Any
) -> Job:
    setting = {"method": method, "network": "cnn", "clients": 31} | dict(axes)
    values = LOCAL | {"rounds": 3, "clients_per_round": 4} | changed
    return toy_task.job(setting, CNN | {"cut": cut}, (SEED,), EQUAL, **values)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Repetition, LocalNetwork]]:
    """The learners that EPPFL makes in a test, each behind its repetition."""
    learners = []

    def local(client_data, repetition, *hooks):
        learners.append((repetition, local_network(client_data, repetition, *hooks)))
        return learners[-1][1]

    monkeypatch.setattr(edges, "local_network", local)
    return learners


def clients_of(files: dict[str, str], job_: Job) -> ClientImageSamples:
    return client_samples(job_, Inputs.at(files, torch.device("cpu")))


def eppfl(files: dict[str, str], axes: Mapping[str, Any], **training: Any) -> Outcome:
    job_ = job(axes, **training)
    return edges.train_with_edges(job_, clients_of(files, job_))


def rows(outcome: Outcome) -> pd.DataFrame:
    return outcome.ledger.table().to_pandas()


# --- what it equals ---------------------------------------------------------------------------


@pytest.mark.parametrize(("cut", "everybody"), [("relu1_1", 31), ("relu2_1", 5), ("relu_fc1", 31)])
def test_without_selection_and_noise_it_is_fedavg_to_the_bit(files, made, cut, everybody):
    training = {"clients_per_round": everybody, "cut": cut}
    outcome, job_ = eppfl(files, {}, **training), job({}, "fedavg", **training)
    (_, ours), *_ = made
    client_data = clients_of(files, job_)
    initial = partial(edges.local_network, client_data)
    fedavg = run_rounds(job_, client_data, initial, weights_or_updates(job_), train=by_weights())
    assert torch.equal(ours.weights(), made[-1][1].weights())
    curves = [each.repetitions[0]["series"]["test_accuracy"] for each in (outcome, fedavg)]
    assert curves[0] == curves[1] == outcome.repetitions[0]["series"]["protected_accuracy"]


@pytest.mark.parametrize("mask", ["vector", "scalar"])
def test_a_masked_average_is_the_mean_of_fixed_point_weights(mask):
    weights = np.random.default_rng(0).normal(size=(5, 40)).astype(np.float32)
    clients, width = [3, 8, 9, 20, 21], 1 if mask == "scalar" else None
    mean = masked_mean(weights, clients, Dealer.of_study(1), 4, width)
    assert np.array_equal(mean, from_ring(to_ring(weights).sum(0, dtype=np.uint64)) / 5)
    assert np.abs(mean - weights.astype(np.float64).mean(0)).max() <= 2.0**-24


# --- messages ---------------------------------------------------------------------------------


def test_one_rounds_bytes_by_hand(files):
    """Four clients with four samples, two epochs, half of each channel of 64 positions."""
    axes = {"local_epochs": 2, "keep_activations": 0.5, "keep_gradients": 0.25}
    outcome = eppfl(files, axes | {"aggregation": "masked"}, rounds=1)
    sent = rows(outcome)
    head = 8 * HEADER_BYTES
    groups = sent.groupby(["sender", "receiver", "part"], observed=True)
    assert groups["bits"].apply(list).to_dict() == {
        ("dealer", "client", "mask"): [256 + head] * 31,
        ("aggregator", "client", "weights"): [32 * OWN + head],
        ("aggregator", "edge", "weights"): [32 * REST + head],
        ("client", "edge", "activations"): [4 * 2 * 32 * 64 + 64 + head] * 4,
        ("client", "edge", "labels"): [4 * 2 * 32] * 4,
        ("edge", "client", "gradients"): [4 * 2 * (32 * 32 + N) + head] * 4,
        ("client", "aggregator", "weights"): [64 * OWN + head] * 4,
        ("edge", "aggregator", "weights"): [32 * REST + head] * 4,
        ("aggregator", "dealer", "mask"): [4 * 32 + head],
    }


# --- who drops out ----------------------------------------------------------------------------


@pytest.mark.parametrize("aggregation", ["open", "masked"])
def test_the_mean_is_of_those_that_arrive(files, made, aggregation):
    job_ = job({"plr": 0.3, "aggregation": aggregation}, rounds=1, clients_per_round=12)
    client_data = clients_of(files, job_)
    sent = rows(edges.train_with_edges(job_, client_data))
    (repetition, learner), *_ = made
    up = sent[sent["direction"].eq("up") & sent["lost"].notna()]
    trained = up[up["receiver"] == "edge"]
    to_aggregator = up[up["receiver"] == "aggregator"]
    assert 0 < trained["lost"].sum() < 12
    assert to_aggregator["lost"].sum() > 0
    assert set(to_aggregator["client"]) == set(trained.loc[~trained["lost"].astype(bool), "client"])
    arrived = set(to_aggregator.loc[~to_aggregator["lost"].astype(bool), "client"])
    again = local_network(client_data, repetition)
    (round_,) = next(iter(again.schedule)).single()
    weights = again.train(round_).weights[[int(c) in arrived for c in round_.clients]]
    wanted = by_samples(weights, np.ones(len(weights)))
    torch.testing.assert_close(learner.weights(), wanted, rtol=0, atol=2.0**-23)


@pytest.mark.parametrize("aggregation", ["open", "masked"])
def test_a_round_of_nobody_leaves_the_weights(files, aggregation):
    outcome = eppfl(files, {"plr": 1.0, "aggregation": aggregation})
    assert len(set(outcome.repetitions[0]["series"]["test_accuracy"])) == 1
    assert "weights" not in set(rows(outcome).query("direction == 'up'")["part"])


# --- guarantees -------------------------------------------------------------------------------


def test_the_total_is_over_coordinates_epochs_and_rounds(files):
    axes = {
        "mechanism": "laplace",
        "epsilon": 5.0,
        "laplace_sensitivity": "clip",
        "local_epochs": 2,
    }
    outcome = eppfl(files, axes | {"keep_activations": 0.5}, clients_per_round=31)
    (guarantee,) = outcome.repetitions[0]["privacy"]
    assert guarantee["epsilon"] == 5 * (N / 2) * 2 * 3
    assert guarantee["delta"] == 0
    assert rows(outcome).query("direction == 'up'")["epsilon"].eq(guarantee["epsilon"]).all()


def test_a_channels_maximum_guarantees_nothing(files):
    axes = {"mechanism": "laplace", "epsilon": 5.0, "laplace_sensitivity": "channel_maximum"}
    outcome = eppfl(files, axes, rounds=1)
    assert outcome.repetitions[0]["privacy"][0]["epsilon"] is None
