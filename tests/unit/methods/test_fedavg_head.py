"""FedAvg on a head: what it equals, its start from a solved head, its servers, what it sends."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from fbftl.ground.errors import UserError
from fbftl.messages.codec import Compression, compress, encode
from fbftl.messages.statistics import ClassMeans
from fbftl.methods.by_name import train
from fbftl.methods.fedavg_head import hold, server_of
from fbftl.models.heads import head_module
from fbftl.study.job import Job, KnownAxes
from fbftl.training.closed_form import LinearHead, lda
from fbftl.training.tasks.images import client_features
from torch import nn
from unit.methods import method_toys
from unit.methods.method_toys import CLASSES, PER_CLIENT, WIDTH

TRAINING = {"clients_per_round": 30, "momentum": 0.0, "weight_decay": 0.01}
TRAINING |= {"validation": 0.0, "selection": "last"}
ROUNDS = {"rounds": 4, "local_batch": None}


def job(head=(), seeds=(0, 1), training=(), **axes) -> Job:
    """Return the job of a setting, FedAvg's on the head if none other is named."""
    setting = {"method": "fedavg_head"} | axes
    rounds = ROUNDS if setting["method"] == "fedavg_head" else {}
    block = {"head": list(head), "one_shot": {"shrinkage": [0.05]}}
    of_job = method_toys.job(setting, block, **TRAINING | rounds | dict(training))
    return replace(of_job, seeds=tuple(seeds))


def curve(outcome, seed: int = 0) -> list[float]:
    return outcome.repetitions[seed]["series"]["test_accuracy"]


# --- what it equals ---------------------------------------------------------------------------


@pytest.mark.parametrize("head", [(), (8,)])
def test_one_step_of_all_clients_is_fedsgd(blobs, head, monkeypatch):
    """Steps of rate 0.1 on each client's mean gradient, averaged, are one on the mean of all."""
    found = []
    monkeypatch.setattr(
        "fbftl.training.network.digest_of",
        lambda model: found.append([p.detach().clone() for p in model.parameters()]) or "",
    )
    (averaged,) = train([job(head)], blobs)
    (descended,) = train([job(head, method="ftl_c")], blobs)
    assert len(found) == 16
    for one, other in zip(found[:8], found[8:], strict=True):
        for parameter, wanted in zip(one, other, strict=True):
            torch.testing.assert_close(parameter, wanted, rtol=1e-5, atol=1e-6)
    assert [curve(averaged, seed) for seed in (0, 1)] == [curve(descended, s) for s in (0, 1)]


def test_local_epochs_of_a_linear_head_are_those_of_numpy(blobs):
    """FedAvg of softmax regression written out in float64: full batches, three epochs a round."""
    data = client_features(job(), blobs)
    values, labels = data.payload.values.astype(float), data.payload.labels
    layer = head_module([WIDTH, CLASSES], 0)[0]
    weights, bias = (p.detach().numpy().astype(float) for p in (layer.weight, layer.bias))
    scored, one_hot = [], np.eye(CLASSES)
    for _ in range(ROUNDS["rounds"]):
        ends = []
        for rows in np.arange(len(values)).reshape(-1, PER_CLIENT):
            w, b = weights.copy(), bias.copy()
            for _ in range(3):
                scores = np.exp(values[rows] @ w.T + b)
                error = (scores / scores.sum(1, keepdims=True) - one_hot[labels[rows]]) / len(rows)
                w, b = (w - 0.5 * (error.T @ values[rows]), b - 0.5 * error.sum(0))
            ends.append((w, b))
        weights, bias = (np.mean(parts, axis=0) for parts in zip(*ends, strict=True))
        test = data.test.inputs.numpy() @ weights.T + bias
        scored.append(float((test.argmax(1) == data.test.labels.numpy()).mean()))
    of = {"weight_decay": 0.0}
    (outcome,) = train([job(seeds=(0,), training=of, local_epochs=3, client_rate=0.5)], blobs)
    assert curve(outcome) == scored


# --- the start --------------------------------------------------------------------------------


@pytest.mark.parametrize("hidden", [(), (6,), (9, 7)])
def test_a_perceptron_holds_a_linear_heads_scores_up_to_their_mean(hidden):
    draws = np.random.default_rng(0)
    solved = LinearHead(draws.normal(size=(3, 5)), draws.normal(size=3))
    model = head_module([5, *hidden, 3], 0)
    hold([layer for layer in model if isinstance(layer, nn.Linear)], solved)
    values = draws.normal(size=(20, 5))
    scores = model(torch.from_numpy(values).float()).detach().numpy()
    wanted = solved.scores(values)
    np.testing.assert_allclose(scores, wanted - wanted.mean(1, keepdims=True), atol=1e-5)


def test_a_layer_that_is_too_narrow_is_refused():
    layers = [nn.Linear(5, 5), nn.Linear(5, 3)]
    with pytest.raises(UserError, match="takes two units of each hidden layer"):
        hold(layers, LinearHead(np.zeros((3, 5)), np.zeros(3)))


def test_the_solved_head_is_that_of_the_means_as_they_were_sent(blobs):
    axes = {"start": "means", "start_bits": 4, "start_keep": 0.5}
    (outcome,) = train([job((8,), seeds=(0,), **axes)], blobs)
    data, sent = client_features(job(), blobs), Compression(4, 0.5)
    values, labels = data.payload.values, data.payload.labels
    client = np.arange(len(values)) // PER_CLIENT
    means = ClassMeans.of(values, labels, client, CLASSES)
    read = ClassMeans(
        means.client, means.label, means.counts, compress(means.means, sent).values, CLASSES
    )
    head = lda(read.estimated(), [0.05]).head
    accuracy = head.accuracy(data.test.inputs.numpy(), data.test.labels.numpy())
    assert outcome.repetitions[0]["start_accuracy"] == accuracy
    table = outcome.ledger.table().to_pandas()
    once = table[(table["round"] == 0) & (table["direction"] == "up")]
    first = means.client == 0
    message = encode(means.counts[first]) + encode(
        means.means[first], means.label[first], CLASSES, sent
    )
    assert (once["bits"].iloc[0], once["part"].unique()) == (8 * len(message), ["statistics"])
    assert once["payload_bits"].iloc[0] == 4 * WIDTH * first.sum() // 2


def test_a_start_from_zero_answers_alike(blobs):
    (outcome,) = train([job((8,), seeds=(0,), start="zero", client_rate=1e-6)], blobs)
    assert outcome.repetitions[0]["start_accuracy"] == pytest.approx(1 / CLASSES)


# --- the server -------------------------------------------------------------------------------


def moved(optimiser: str, rate: float, ways: list[float]) -> float:
    """Return where a server of one number gets from 0 by rounds' ways."""
    axes = {"server_optimiser": optimiser, "server_rate": rate}
    server, at = server_of(KnownAxes(axes)), torch.zeros(1)
    for way in ways:
        average = server.aggregate((at + way)[None], np.ones(1))
        at = server.move(at, average)
    return float(at)


def test_servers_step_as_their_papers_say():
    assert moved("average", 1.0, [1.0, 2.0]) == 3.0
    assert moved("average", 0.5, [1.0, 2.0]) == 1.5
    assert moved("momentum", 1.0, [1.0, 2.0]) == pytest.approx(1 + (0.9 + 2))
    first = 0.1 / (0.01**0.5 + 1e-3)
    second = (0.9 * 0.1 + 0.1 * 2) / ((0.99 * 0.01 + 0.01 * 4) ** 0.5 + 1e-3)
    assert moved("adam", 0.1, [1.0, 2.0]) == pytest.approx(0.1 * (first + second))
