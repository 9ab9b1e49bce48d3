"""The round engine: plain, per-client and split gradients agree; rounds are plain SGD."""

import numpy as np
import pytest
import torch
from fbftl.batches import Epoch, Rounds, rounds
from fbftl.heads import stacked
from fbftl.job import Training
from fbftl.methods.by_rounds import grouped
from fbftl.methods.network import head_module
from fbftl.networks import vgg
from fbftl.rounds import (
    Gradient,
    LabelledInputs,
    batch_gradient,
    client_gradient,
    split_gradient,
    train_rounds,
)
from fbftl.training import Samples, train
from torch import nn

TRAINING = Training(
    epochs=3,
    batch=64,
    clients_per_round=3,
    learning_rate=0.05,
    momentum=0.9,
    weight_decay=5e-4,
    validation=0.0,
    selection="last",
)
CLIENTS = [np.arange(a, b) for a, b in [(0, 4), (4, 10), (10, 13), (13, 20), (20, 24)]]


def network(seed: int = 0) -> nn.Sequential:
    torch.manual_seed(seed)
    return vgg((8, 8, 1), [[4], [6]], [12], 3).eval()


def images(count: int = 24) -> LabelledInputs:
    generator = torch.Generator().manual_seed(1)
    inputs = torch.randn(count, 1, 8, 8, generator=generator)
    return LabelledInputs(inputs, torch.randint(0, 3, (count,), generator=generator))


def all_arrive(epochs: list[Rounds]) -> list[tuple[Rounds, np.ndarray]]:
    return [(epoch, np.ones(epoch.clients.shape, dtype=bool)) for epoch in epochs]


def trained(model: nn.Module, gradient: Gradient, schedule: list) -> nn.Module:
    samples = images()
    train_rounds(model, gradient, schedule, samples, np.arange(0), samples, TRAINING)
    return model


def assert_same(one: nn.Module, other: nn.Module, tolerance: float = 1e-5) -> None:
    for a, b in zip(one.parameters(), other.parameters(), strict=True):
        assert torch.allclose(a, b, atol=tolerance)


@pytest.fixture
def schedule() -> list[tuple[Rounds, np.ndarray]]:
    return all_arrive(list(rounds(CLIENTS, 3, 3, seed=0)))


def test_client_updates_average_to_the_batch_gradient(schedule: list) -> None:
    plain, single = network(), network()
    trained(plain, batch_gradient(plain), schedule)
    trained(single, client_gradient(single, lambda updates, one: updates), schedule)
    assert_same(plain, single)
    assert not torch.equal(next(plain.parameters()), next(network().parameters()))


def test_both_leave_a_lost_update_out(schedule: list) -> None:
    lossy = [(epoch, epoch.clients % 2 == 0) for epoch, _ in schedule]
    plain, single, complete = network(), network(), network()
    trained(plain, batch_gradient(plain), lossy)
    trained(single, client_gradient(single, lambda updates, one: updates), lossy)
    trained(complete, batch_gradient(complete), schedule)
    assert_same(plain, single)
    assert not torch.allclose(next(plain.parameters()), next(complete.parameters()), atol=1e-5)


def test_sfl_with_one_local_step_equals_fl(schedule: list) -> None:
    whole, cut = network(), network()
    trained(whole, batch_gradient(whole), schedule)
    names = [name for name, _ in cut.named_children()]
    at = names.index("pool1") + 1
    trained(cut, split_gradient(cut[:at], cut[at:]), schedule)
    assert_same(whole, cut)


def test_one_client_with_all_samples_is_plain_sgd() -> None:
    schedule = all_arrive(list(rounds([np.arange(24)], 1, 5, seed=0)))
    by_rounds, plain = network(), network()
    trained(by_rounds, client_gradient(by_rounds, lambda updates, one: updates), schedule)
    optimizer = torch.optim.SGD(plain.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    samples = images()
    for _ in range(5):
        optimizer.zero_grad()
        nn.functional.cross_entropy(plain(samples.inputs), samples.labels).backward()
        optimizer.step()
    assert_same(by_rounds, plain)


def test_ftl_c_equals_fbftl_when_batches_agree(schedule: list) -> None:
    """Sec. III-B: the same numbers at every iteration; only the communication differs."""
    widths, generator = [10, 7, 3], torch.Generator().manual_seed(2)
    values = torch.randn(24, 10, generator=generator)
    labels = torch.randint(0, 3, (24,), generator=generator)
    samples, uploads = LabelledInputs(values, labels), Samples(values[None], labels[None])
    head, module = stacked(widths, [4], torch.device("cpu")), head_module(widths, 4)
    for epoch, arrives in schedule:
        weights = epoch.weights(arrives).astype(np.float32)
        steps = len(epoch.rows)
        batches = Epoch(epoch.rows.reshape(steps, 1, -1), weights.reshape(steps, 1, -1))
        # A fresh optimizer per call on both sides: momentum starts anew at every epoch.
        train(head, [batches], uploads, [torch.arange(0)], uploads, TRAINING)
        train_rounds(
            module, batch_gradient(module), [(epoch, arrives)], samples, np.arange(0), samples,
            TRAINING,
        )  # fmt: skip
        for number, linear in enumerate(m for m in module if isinstance(m, nn.Linear)):
            assert torch.allclose(head.weights[number][0], linear.weight.T, atol=1e-6)


def test_grouping_keeps_every_row_with_its_client() -> None:
    client = np.array([2, 0, 2, 5, 0, 2])
    owners, groups = grouped(np.array([0, 1, 2, 3, 5]), client)
    assert list(owners) == [0, 2, 5]
    assert [list(g) for g in groups] == [[1], [0, 2, 5], [3]]
