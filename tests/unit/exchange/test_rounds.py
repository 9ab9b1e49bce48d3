"""The round engine: plain, per-client and split gradients agree; rounds are plain SGD."""

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from fbftl.exchange.repetition import by_gradients
from fbftl.methods.sfl import SplitNetwork
from fbftl.models.heads import head_module, stacked
from fbftl.models.networks import vgg
from fbftl.training.batches import Epoch, Round, Rounds, rounds
from fbftl.training.network import TrainedNetwork
from fbftl.training.samples import LabelledInputs, TrainingData
from fbftl.training.stacked import StackedSamples, train
from torch import nn
from unit.training.training_toys import training

TRAINING = training(epochs=3, batch=64)
Arrivals = Callable[[Round], np.ndarray]
CLIENTS = [np.arange(a, b) for a, b in [(0, 4), (4, 10), (10, 13), (13, 20), (20, 24)]]


def network(seed: int = 0) -> nn.Sequential:
    torch.manual_seed(seed)
    return vgg((8, 8, 1), [[4], [6]], [12], 3).eval()


def images(count: int = 24) -> LabelledInputs:
    generator = torch.Generator().manual_seed(1)
    inputs = torch.randn(count, 1, 8, 8, generator=generator)
    return LabelledInputs(inputs, torch.randint(0, 3, (count,), generator=generator))


def all_arrive(round_: Round) -> np.ndarray:
    return np.ones(len(round_.clients), dtype=bool)


def even_arrive(round_: Round) -> np.ndarray:
    return round_.clients % 2 == 0


def training_data(samples: LabelledInputs | None = None) -> TrainingData:
    samples = samples or images()
    return TrainingData(samples, np.arange(0), samples, TRAINING, [])


def learner(model: nn.Module) -> TrainedNetwork:
    return TrainedNetwork(model, training_data())


def together(learner: TrainedNetwork, arrivals: Arrivals, schedule: list[Rounds]) -> None:
    by_gradients(learner, SimpleNamespace(releasing=None, arrivals=arrivals), schedule)


def apart(learner: TrainedNetwork, arrivals: Arrivals, schedule: list[Rounds]) -> None:
    def averaged(round_: Round, updates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        arrives = arrivals(round_)
        return updates[arrives].sum(axis=0) / max(int(round_.counts[arrives].sum()), 1), arrives

    by_gradients(learner, SimpleNamespace(releasing=True, averaged=averaged), schedule)


def assert_same(network_: nn.Module, other: nn.Module, tolerance: float = 1e-5) -> None:
    for a, b in zip(network_.parameters(), other.parameters(), strict=True):
        assert torch.allclose(a, b, atol=tolerance)


@pytest.fixture
def schedule() -> list[Rounds]:
    return list(rounds(CLIENTS, 3, 3, seed=0))


def test_a_client_alone_is_its_own_part_of_the_round(schedule: list[Rounds]) -> None:
    """Its own update is its part of the average, without padding: K_u samples and no more."""
    seen = list(schedule[0].single())
    for round_ in seen:
        alone = [round_.only(index) for index in range(len(round_.clients))]
        assert [client_round.rows.shape[1] for client_round in alone] == round_.counts.tolist()
        assert (
            np.concatenate([client_round.clients for client_round in alone]).tolist()
            == round_.clients.tolist()
        )
        _, parts = learner(network()).mean_gradient(round_, all_arrive(round_))
        mean = torch.cat([part.flatten() for part in parts]).numpy()
        summed = sum(learner(network()).client_message(client_round) for client_round in alone)
        assert summed / round_.counts.sum() == pytest.approx(mean, abs=1e-6)
    assert sum(round_.counts.sum() for round_ in seen) == len(images().labels)


def test_a_split_clients_message_is_its_smashed_data_and_its_parts_update(
    schedule: list[Rounds],
) -> None:
    model = network()
    at = [name for name, _ in model.named_children()].index("pool1") + 1
    split = SplitNetwork(model[:at], model[at:], training_data())
    size = split.client_floats
    alone = next(schedule[0].single()).only(1)
    message = split.client_message(alone)
    smashed = model[:at](images().inputs[alone.rows[0]]).detach().numpy()
    assert (message[:-size] == smashed.flatten()).all()
    assert len(message) - size == split.smashed_floats * alone.counts[0]
    assert message[-size:] == pytest.approx(learner(model).client_message(alone)[:size], abs=1e-6)


def test_one_client_with_all_samples_is_plain_sgd() -> None:
    schedule = list(rounds([np.arange(24)], 1, 5, seed=0))
    by_rounds, plain = network(), network()
    apart(learner(by_rounds), all_arrive, schedule)
    optimizer = torch.optim.SGD(plain.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    samples = images()
    for _ in range(5):
        optimizer.zero_grad()
        nn.functional.cross_entropy(plain(samples.inputs), samples.labels).backward()
        optimizer.step()
    assert_same(by_rounds, plain)


def test_ftl_c_equals_fbftl_when_batches_agree(schedule: list[Rounds]) -> None:
    """Sec. III-B: the same numbers at every iteration; only the communication differs."""
    widths, generator = [10, 7, 3], torch.Generator().manual_seed(2)
    values = torch.randn(24, 10, generator=generator)
    labels = torch.randint(0, 3, (24,), generator=generator)
    samples = LabelledInputs(values, labels)
    uploads = StackedSamples(values[None], labels[None], torch.zeros(1, dtype=torch.int64))
    head, module = stacked(widths, [4], torch.device("cpu")), head_module(widths, 4)
    for epoch in schedule:
        weights = epoch.present / epoch.present.sum(axis=(1, 2), keepdims=True)
        steps = len(epoch.rows)
        batches = Epoch(
            epoch.rows.reshape(steps, 1, -1), weights.reshape(steps, 1, -1).astype(np.float32)
        )
        # A fresh optimizer per call on both sides: momentum starts anew at every epoch.
        train(head, [batches], lambda _: uploads, [torch.arange(0)], uploads, TRAINING)
        together(TrainedNetwork(module, training_data(samples)), all_arrive, [epoch])
        for number, linear in enumerate(m for m in module if isinstance(m, nn.Linear)):
            assert torch.allclose(head.weights[number][0], linear.weight.T, atol=1e-6)
