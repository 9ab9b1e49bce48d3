"""FedAvg in whole runs: what it equals, a round by hand, losses, privacy, hooks."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from fbftl.data.participation import grouped, held_out
from fbftl.exchange import uplink
from fbftl.exchange.averaging import Server, by_weights, weights_or_updates
from fbftl.exchange.repetition import run_rounds, whole_update
from fbftl.findings.exchanged import read_exchanged
from fbftl.privacy.noise import poisson_sample, row_norms
from fbftl.privacy.release import noise_seed
from fbftl.study.job import Job
from fbftl.study.methods import axes_by_method
from fbftl.training.local import one_by_one
from fbftl.training.local_network import LocalNetwork, local_network
from fbftl.training.local_updates import LocalUpdate, mini_batches
from fbftl.training.network import TrainedNetwork, whole_network
from fbftl.training.tasks.images_samples import ClientImageSamples, client_samples
from fbftl.training.tasks.task import Inputs, Outcome, Repetition
from torch.nn import functional
from unit.training.tasks import toy_task
from unit.training.tasks.toy_task import CLIENTS, LOCAL, MLP, train

SEED, EVERYBODY = 1, 16


def job(axes: dict[str, Any], network: dict | None = None, **changed: Any) -> Job:
    return toy_task.job({"method": "fedavg"} | axes, network, **LOCAL | {"rounds": 3} | changed)


def client_data_of(files: dict[str, str], job_: Job) -> ClientImageSamples:
    return client_samples(job_, Inputs.at(files, torch.device("cpu")))


def fedavg(
    files: dict[str, str], job_: Job, server_of=Server
) -> tuple[LocalNetwork, torch.Tensor, Outcome]:
    """Run FedAvg; return the learner afterwards, the weights that it began with, the outcome."""
    client_data, learner_and_weights = client_data_of(files, job_), []

    def start(repetition) -> LocalNetwork:
        learner_and_weights.append(local_network(client_data, repetition))
        learner_and_weights.append(learner_and_weights[0].weights())
        return learner_and_weights[0]

    outcome = run_rounds(
        job_, client_data, start, weights_or_updates(job_), train=by_weights(server_of)
    )
    return *learner_and_weights, outcome


def clients_of(client_data: ClientImageSamples) -> list[np.ndarray]:
    return grouped(np.arange(len(client_data.samples.labels)), client_data.partition.client)[1]


def up(outcome: Outcome) -> pd.DataFrame:
    return outcome.ledger.table().to_pandas().query("direction == 'up'")


# --- what it equals ---------------------------------------------------------------------------


def test_one_full_batch_of_everybody_is_fl(files):
    averaged_job = job({}, momentum=0.0, clients_per_round=EVERYBODY, local_batch=None)
    local, before, _ = fedavg(files, averaged_job)
    fl = replace(averaged_job, setting=replace(averaged_job.setting, values=FL))
    client_data, learners = client_data_of(files, fl), []

    def initial(repetition: Repetition) -> TrainedNetwork:
        learners.append(
            whole_network(client_data, repetition, *client_data.target.random(fl, SEED))
        )
        return learners[0]

    run_rounds(fl, client_data, initial, whole_update())
    wanted = torch.cat([parameter.detach().flatten() for parameter in learners[0].parameters])
    torch.testing.assert_close(local.weights(), wanted, rtol=0, atol=1e-6)
    assert (before - wanted).abs().max() > 1e-3


FL = {"method": "fl"} | axes_by_method()["fl"]


def test_one_client_is_plain_training_to_the_bit(files):
    """With the optimiser begun anew at every round on both sides."""
    alone = CLIENTS | {"samples_per_client": 124}
    job_ = job({"local_epochs": 2, "clients": 1}, MLP, clients=alone, clients_per_round=1)
    local, before, _ = fedavg(files, job_)
    client_data = client_data_of(files, job_)
    model = torch.nn.Sequential(*client_data.target.random(job_, SEED))
    rows = np.arange(124)
    for round_number in (1, 2, 3):
        optimizer = torch.optim.SGD(
            model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4, fused=True
        )
        for _, batch in mini_batches(LocalUpdate(SEED, round_number, 0, rows), local.plan):
            optimizer.zero_grad()
            taken = client_data.samples.at(batch)
            functional.cross_entropy(model(taken.inputs), taken.labels).backward()
            optimizer.step()
    trained = torch.cat([parameter.detach().flatten() for parameter in model.parameters()])
    assert torch.equal(local.weights(), trained)
    assert not torch.equal(before, trained)


# --- rounds -----------------------------------------------------------------------------------


def test_a_round_by_hand(files):
    """Weights of the clients that arrive, by their samples, over these clients alone."""
    job_ = job({"plr": 0.4, "local_epochs": 2}, rounds=1, clients_per_round=EVERYBODY)
    local, before, outcome = fedavg(files, job_)
    rows, clients = up(outcome), clients_of(client_data_of(files, job_))
    lost = dict(zip(rows["client"], rows["lost"], strict=True))
    counts = [len(rows_) for rows_ in clients]
    assert 0 < sum(lost.values()) < EVERYBODY
    assert len(set(counts)) == 2
    assert rows["part"].unique().tolist() == ["weights"]
    local_updates = [
        LocalUpdate(SEED, 1, client, rows_)
        for client, rows_ in enumerate(clients)
        if not lost[client]
    ]
    local.set_weights(before)
    alone = one_by_one(local.split_model, local.training_data.samples, local_updates, local.plan)
    arrived = np.array([len(local_update.rows) for local_update in local_updates])
    wanted = (arrived[:, None] * alone.weights.double().numpy()).sum(0) / arrived.sum()
    after, _, _ = fedavg(files, job_)
    np.testing.assert_allclose(after.weights().numpy(), wanted, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("axes", [{}, {"bits": 4}])
def test_a_round_in_which_nobody_arrives_leaves_the_weights(files, axes):
    local, before, outcome = fedavg(files, job({"plr": 1.0} | axes))
    assert torch.equal(local.weights(), before)
    (repetition,) = outcome.repetitions
    assert repetition["messages_lost"] == repetition["messages"] == 15
    assert len(set(repetition["series"]["test_accuracy"])) == 1


def test_one_point_and_one_broadcast_a_round_and_clients_picked_anew(files, tmp_path):
    values = {"rounds": 3, "local_batch": 3, "clients_per_round": 5}
    run = read_exchanged(*train(files, tmp_path, "fedavg", **values), {})
    assert run.accuracy.shape == (2, 3)
    assert run.until("up", "messages", [3, 3]).tolist() == [15, 15]
    assert run.until("up", "messages", [1, 2]).tolist() == [5, 10]
    assert run.until("down", "messages", [3, 3]).tolist() == [3, 3]
    rows = pd.read_parquet(tmp_path / "fedavg.parquet").query("direction == 'up' and seed == 0")
    picked = rows.groupby("round")["client"].apply(frozenset)
    assert all(len(clients) == 5 for clients in picked)
    assert len(set(picked)) == 3
    assert rows["encoded"].tolist() == ["made"] * 5 + ["counted"] * 10


def test_updates_that_are_hardly_compressed_average_as_weights_do(files):
    """Differences go up by their clients' samples, of which the last client has half as many."""
    plain, updates = (
        fedavg(files, job(axes, rounds=1, clients_per_round=EVERYBODY))
        for axes in ({}, {"bits": 16})
    )
    torch.testing.assert_close(updates[0].weights(), plain[0].weights(), rtol=0, atol=1e-5)
    assert (plain[0].weights() - plain[1]).abs().max() > 1e-3


# --- privacy ----------------------------------------------------------------------------------


def test_under_dp_clients_are_sampled_clipped_and_summed_over_a_fixed_divisor(files, monkeypatch):
    sent, clip_rows = [], uplink.clip_rows
    monkeypatch.setattr(uplink, "clip_rows", lambda *a: sent.append(clip_rows(*a)) or sent[-1])
    noiseless = lambda clipped, **_: np.asarray(clipped, dtype=np.float32).sum(axis=0)  # noqa: E731
    monkeypatch.setattr(uplink, "noisy_sum", noiseless)
    job_ = job({"mechanism": "dp_fedavg", "sigma": 1.5}, rounds=1)
    local, before, outcome = fedavg(files, job_)
    clip = 0.01 * 124 / 16
    (repetition,) = outcome.repetitions
    assert repetition["privacy"][0]["clip_norm"] == pytest.approx(clip)
    assert (row_norms(sent[0]) <= clip).all()
    assert row_norms(sent[0]).max() > 0.99 * clip
    picked = poisson_sample(noise_seed(job_, SEED), 0, EVERYBODY, 5 / 16)
    assert up(outcome)["client"].tolist() == picked.tolist()
    wanted = before.numpy() + sent[0].sum(axis=0) / (5 / 16 * 124)
    np.testing.assert_allclose(local.weights().numpy(), wanted, rtol=1e-5, atol=1e-8)


# --- the server's hooks -----------------------------------------------------------------------


def test_aggregation_and_the_servers_own_step_are_asked(files):
    """The server's step comes after the average, and learns who arrived."""
    seen = []

    def after(learner, round_, arrives):
        seen.append((round_.number, len(round_.clients), arrives.sum()))
        learner.set_weights(torch.zeros(len(learner.weights())))

    unweighted = Server(aggregate=lambda weights, counts: weights.mean(0), after=after)
    local, _, outcome = fedavg(files, job({"plr": 0.5}), lambda: unweighted)
    lost = up(outcome).groupby("round")["lost"].sum()
    assert seen == [(round_number, 5, 5 - lost[round_number]) for round_number in (1, 2, 3)]
    assert not local.weights().any()


def test_what_was_received_is_what_the_ledger_has_arrivals_of(files):
    job_ = job({"plr": 0.5}, validation=0.1)
    _, _, outcome = fedavg(files, job_)
    table = up(outcome)
    client = client_data_of(files, job_).partition.client
    came = np.isin(client, table[~table["lost"].astype(bool)]["client"])
    training, _ = held_out(np.arange(124), 0.1, SEED)
    (repetition,) = outcome.repetitions
    assert (repetition["received"], repetition["seen"]) == (came.sum(), came[training].sum())
