"""FedFeat+ and FedProx in whole runs: what they equal, a round by hand, what is told and noised."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from fbftl.ground.randomness import stream
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.methods import fedprox
from fbftl.methods.fedavg.run import run as run_fedavg
from fbftl.methods.fedfeat import retrain, run
from fbftl.privacy.accounting import rounds_epsilon
from fbftl.study.job import Job
from fbftl.training.feature_network import FeatureNetwork, chosen_plan
from fbftl.training.local_updates import LocalPlan, batched
from fbftl.training.tasks.images_samples import client_samples
from fbftl.training.tasks.task import Inputs
from torch.nn import functional
from unit.training.tasks import toy_task
from unit.training.tasks.toy_task import LOCAL, MLP

SEED, EVERYBODY = 1, 16
CNN = {"kind": "cnn", "channels": [[3]], "fc": [4], "kernel": 3, "norm": "none", "cut": "pool1"}
NORMED = CNN | {"norm": "batch"}
NETWORKS = {None: None, "mlp": MLP, "cnn": CNN, "normed": NORMED}
PLAIN = (None, "mlp", "cnn")
ONE_MESSAGE = ("last_epoch", "after")


def job(axes: dict[str, Any], network: str | None = "mlp", **changed: Any) -> Job:
    return toy_task.job({"method": "fedfeat"} | axes, NETWORKS[network], **LOCAL | changed)


def fitted(digits: Inputs, job_: Job) -> tuple[FeatureNetwork, dict[str, Any], pd.DataFrame]:
    """Return the network afterwards, what was found, and the ledger."""
    done = retrain(job_, client_samples(job_, digits))
    (repetition,), (network,) = done.outcome.repetitions, done.networks
    return network, repetition, done.outcome.ledger.table().to_pandas()


# --- what it equals ---------------------------------------------------------------------------


@pytest.mark.parametrize("network", PLAIN)
def test_without_retraining_it_is_fedavg_to_the_bit(digits, network):
    axes = {"local_epochs": 2, "plr": 0.4}
    outcome = run(job({"server_epochs": 0} | axes, network), digits)
    wanted = run_fedavg(job({"method": "fedavg"} | axes, network), digits)
    assert outcome.repetitions[0]["series"] == wanted.repetitions[0]["series"]
    ledgers = [outcome.ledger.table().drop_columns("method") for outcome in (outcome, wanted)]
    assert ledgers[0].equals(ledgers[1])
    retrained = run(job(axes, network), digits)
    assert retrained.repetitions[0]["series"] != wanted.repetitions[0]["series"]


@pytest.mark.parametrize("network", ["mlp", "cnn"])
def test_a_round_by_hand_on_features_of_the_averaged_extractor(digits, network):
    values = {"rounds": 1, "clients_per_round": EVERYBODY, "server_batch": 7}
    values |= {"server_learning_rate": 0.2}
    axes = {"features_from": "averaged", "server_epochs": 2}
    retrained, *_ = fitted(digits, job(axes, network, **values))
    averaged, *_ = fitted(digits, job({"server_epochs": 0}, network, **values))
    samples, split_model = averaged.training_data.samples, averaged.split_model
    rows = np.concatenate([features.rows for features in retrained.received])
    assert sorted(rows) == list(range(124))
    with torch.no_grad():
        features = split_model.front(samples.at(rows).inputs)
    optimiser = torch.optim.SGD(
        split_model.rest.parameters(), lr=0.2, momentum=0.9, weight_decay=5e-4, fused=True
    )
    plan = replace(retrained.plan, epochs=2, batch=7)
    for _, at in batched(np.arange(124), plan, stream(SEED, "retraining", 1)):
        optimiser.zero_grad()
        labels = samples.labels[rows][at]
        functional.cross_entropy(split_model.rest(features[at]), labels).backward()
        optimiser.step()
    torch.testing.assert_close(retrained.weights(), averaged.weights(), rtol=1e-5, atol=1e-6)


def test_a_chosen_step_is_the_one_that_learns_and_leaves_the_classifier_alone():
    generator = torch.Generator().manual_seed(0)
    features = torch.randn(100, 2, generator=generator)
    labels = (features[:, 0] > 0).long()
    classifier = torch.nn.Linear(2, 2)
    before = classifier.weight.clone()
    training = job({}).training
    plans = [LocalPlan(5, 10, replace(training, learning_rate=rate)) for rate in (1e-6, 0.1, 1e-5)]
    draw = np.random.default_rng(0)
    assert chosen_plan(classifier, features, labels, plans, draw) is plans[1]
    assert torch.equal(classifier.weight, before)


def test_the_released_mode_normalises_each_clients_features_by_its_own(digits):
    axes = {"features_from": "after", "client_weighting": "equal", "server_epochs": 2}
    values = {"batch_norm": "batch", "server_learning_rate": 0.001, "server_batch": 128}
    learner, repetition, _ = fitted(digits, job(axes, "normed", rounds=1, **values))
    assert not repetition["diverged"]
    features = learner.received[0]
    learner.set_weights(learner.sent_weights(features.client))
    front = learner.split_model.front
    with torch.no_grad():
        alone = front(learner.training_data.samples.at(features.rows).inputs)
        half = front(learner.training_data.samples.at(features.rows[:4]).inputs)
    # Taken before the server's step, which the weights that were sent do not hold.
    torch.testing.assert_close(alone, features.clean)
    assert not torch.allclose(half, features.clean[:4])


# --- what is told -----------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["last_epoch", "after", "averaged"])
@pytest.mark.parametrize("network", ["mlp", "cnn"])
def test_every_sample_is_told_once_a_round_with_its_label(digits, source, network):
    axes = {"features_from": source, "local_epochs": 2}
    learner, *_ = fitted(digits, job(axes, network, clients_per_round=EVERYBODY))
    rows = np.concatenate([features.rows for features in learner.received])
    assert sorted(rows) == list(range(124))
    for features in learner.received:
        assert torch.equal(features.labels, learner.training_data.samples.labels[features.rows])
        assert features.sent[0].numel() == learner.width
        assert torch.equal(features.clean, features.sent)


def test_only_what_arrives_is_heard(digits):
    learner, repetition, ledger = fitted(digits, job({"plr": 0.5}))
    last = ledger.query("direction == 'up' and round == 2 and part == 'weights'")
    # Everybody in a round has a number of its own; owners are in its order.
    assert [features.client for features in learner.received] == last[~last["lost"].astype(bool)][
        "client"
    ].tolist()
    assert repetition["messages_lost"] > 0


# --- messages ---------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ONE_MESSAGE)
def test_weights_features_and_labels_are_parts_of_one_message(digits, source):
    learner, repetition, ledger = fitted(digits, job({"features_from": source}))
    up = ledger.query("direction == 'up'")
    bits = up.groupby(["round", "client", "part"], observed=True)["payload_bits"].sum().unstack()
    samples = bits["labels"] // 32
    assert set(samples) <= {8, 4}
    assert (bits["weights"] == 32 * len(learner.weights())).all()
    assert (bits["features"] == 32 * learner.width * samples).all()
    assert repetition["messages"] == up["lost"].notna().sum() == 10
    sent = up.groupby(["round", "client"])["bits"].sum()
    assert (sent == bits.sum(axis=1) + 8 * HEADER_BYTES).all()
    assert up.query("round == 1")["encoded"].eq("made").all()
    assert len(ledger.query("direction == 'down'")) == 2


def test_features_of_the_averaged_extractor_are_a_message_of_their_own(digits):
    learner, repetition, ledger = fitted(digits, job({"features_from": "averaged"}))
    up, down = (ledger.query(f"direction == '{way}'") for way in ("up", "down"))
    assert (
        up.groupby("round")["part"].value_counts().unstack().to_numpy().tolist() == [[5, 5, 5]] * 2
    )
    assert repetition["messages"] == 20
    assert len(down) == 4
    extractor = sum(parameter.numel() for parameter in learner.split_model.front.parameters())
    assert (down.groupby("round")["payload_bits"].min() == 32 * extractor).all()


# --- noise ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("law", "source"),
    [
        ("feature_gaussian", "last_epoch"),
        ("feature_laplace", "after"),
        ("feature_gaussian", "averaged"),
    ],
)
def test_printed_noise_is_on_every_number_and_guarantees_nothing(digits, source, law):
    axes = {"mechanism": law, "epsilon": 2.0, "features_from": source}
    learner, repetition, _ = fitted(digits, job(axes, clients_per_round=EVERYBODY))
    noise = torch.cat([(features.sent - features.clean).flatten() for features in learner.received])
    scale = {"feature_gaussian": 2.399, "feature_laplace": 0.7071}[law]
    assert noise.std().item() == pytest.approx(scale, rel=0.15)
    assert noise.mean().item() == pytest.approx(0, abs=0.2 * scale)
    (record,) = repetition["privacy"]
    assert record["mechanism"] == law
    assert record["epsilon"] is None
    assert record["noise_std"] == pytest.approx(scale, rel=1e-3)
    assert repetition["feature_correlation"] < 1


def test_bounded_features_are_paid_for_in_every_round_of_a_client(digits):
    axes = {"mechanism": "gaussian", "epsilon": 8.0, "feature_clip": 0.5}
    learner, repetition, _ = fitted(digits, job(axes, rounds=6))
    assert max(features.clean.flatten(1).norm(dim=1).max() for features in learner.received) <= 0.5
    participations = int(_participations(6).max())
    replaced, zeroed = repetition["privacy"]
    assert replaced["epsilon"] == pytest.approx(8, rel=1e-4)
    assert zeroed["epsilon"] < replaced["epsilon"]
    wanted = rounds_epsilon(
        replaced["sigma"], 1e-5, rate=1, rounds=participations, adjacency="replace-one"
    )
    assert replaced["epsilon"] == pytest.approx(wanted)
    assert not replaced["covers_labels"]
    noise = torch.cat([(features.sent - features.clean).flatten() for features in learner.received])
    assert noise.std().item() == pytest.approx(replaced["noise_std"], rel=0.2)


def _participations(rounds: int) -> np.ndarray:
    picks = [
        stream(SEED, "participation", round_index).permutation(EVERYBODY)[:5]
        for round_index in range(rounds)
    ]
    return np.bincount(np.concatenate(picks))


@pytest.mark.parametrize("network", PLAIN)
@pytest.mark.parametrize("axes", [{"plr": 0.4, "local_epochs": 2}, {"bits": 4, "keep": 0.5}])
def test_fedprox_without_its_term_is_fedavg_to_the_bit(digits, network, axes):
    outcome = fedprox.run(job({"method": "fedprox"} | axes, network), digits)
    wanted = run_fedavg(job({"method": "fedavg"} | axes, network), digits)
    assert outcome.repetitions[0]["series"] == wanted.repetitions[0]["series"]
    ledgers = [each.ledger.table().drop_columns("method") for each in (outcome, wanted)]
    assert ledgers[0].equals(ledgers[1])


def test_fedprox_adds_its_weight_times_the_way_from_the_rounds_model(digits, monkeypatch):
    monkeypatch.setattr(fedprox, "local_network", lambda _, __, hooks: hooks)
    monkeypatch.setattr(fedprox, "run_rounds", lambda _, __, begin, *___: begin(None))
    hooks = fedprox.run(job({"method": "fedprox", "proximal": 5.0}), digits)
    gradient, weights, start = torch.tensor([[1.0, 2.0], [3.0, 4.0], [2.0, 7.0]])
    pulled = hooks.gradients(None, gradient, weights, start)
    assert pulled.tolist() == [1 + 5 * (3 - 2), 2 + 5 * (4 - 7)]
