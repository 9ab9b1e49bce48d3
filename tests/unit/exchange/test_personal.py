"""Networks that clients keep: repetitions side by side, convolutions stacked."""

import numpy as np
import pytest
import torch
from fbftl.exchange.personal import PersonalModels, train_side_by_side
from fbftl.models.chain import Chain
from fbftl.models.networks import random_split
from fbftl.training import local
from fbftl.training.local_updates import LocalPlan, SplitModel
from fbftl.training.samples import LabelledInputs
from unit.training.training_toys import training

IMAGE, CLASSES = (6, 6, 2), 3
CNN = Chain(IMAGE, CLASSES, [5], [[3], [4, 2]])
MLP = Chain(IMAGE, CLASSES, [4])
TRAINING = training(learning_rate=0.1, weight_decay=0.01)


@pytest.fixture
def samples() -> LabelledInputs:
    torch.manual_seed(0)
    return LabelledInputs(torch.randn(40, 2, 6, 6), torch.arange(40) % CLASSES)


def models(seed: int) -> PersonalModels:
    """Return the networks of three clients: of two the convolutional one."""
    networks = [SplitModel(*random_split(chain, "relu_fc1", seed)) for chain in (CNN, MLP)]
    return PersonalModels.initial(
        [networks[0], networks[1], networks[0]], LocalPlan(2, 4, TRAINING), seed
    )


def rows(seed: int) -> list[np.ndarray]:
    """Return rows of three clients, of which no two have equally many."""
    return np.split(np.random.default_rng(seed).permutation(27), [8, 17])


def test_repetitions_side_by_side_learn_as_each_would_alone(samples):
    several = [models(seed) for seed in (3, 4)]
    losses = train_side_by_side(several, samples, [rows(3), rows(4)], 2)
    for together, loss, seed in zip(several, losses, (3, 4), strict=True):
        alone = models(seed)
        torch.testing.assert_close(alone.train(samples, rows(seed), 2), loss)
        for ours, expected in zip(together.weights, alone.weights, strict=True):
            torch.testing.assert_close(ours, expected)


def test_stacked_convolutions_learn_as_one_by_one(samples, monkeypatch):
    stacked, alone = models(5), models(5)
    loss = stacked.train(samples, rows(5), 1)
    monkeypatch.setattr(local, "stackable", lambda _: None)
    expected = alone.train(samples, rows(5), 1)
    torch.testing.assert_close(loss, expected)
    for ours, wanted, initial in zip(
        stacked.weights, alone.weights, models(5).weights, strict=True
    ):
        torch.testing.assert_close(ours, wanted)
        assert not torch.equal(wanted, initial)
