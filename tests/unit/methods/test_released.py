"""The public script's procedure: dropout in the features, losses that come back."""

import numpy as np
import torch
from fbftl.methods.released import Positions, train_released
from fbftl.models.heads import head_module
from fbftl.models.networks import vgg
from fbftl.training.samples import LabelledInputs
from unit.training.training_toys import training

TRAINING = training(epochs=3, batch=8)
NOTHING = np.array([], dtype=np.int64)


def samples(count: int = 24) -> LabelledInputs:
    generator = torch.Generator().manual_seed(1)
    inputs = torch.randn(count, 1, 8, 8, generator=generator)
    return LabelledInputs(inputs, torch.randint(0, 3, (count,), generator=generator))


def curves(dropout: float, seed: int = 0) -> list[float]:
    torch.manual_seed(5)
    network = vgg((8, 8, 1), [[4], [6]], [12], 3, dropout).eval()
    extractor = network[:-1].requires_grad_(False)
    torch.manual_seed(seed)
    positions = Positions(np.arange(24), 8, 0.0, seed=0)
    head = head_module([12, 6, 3], seed=0)
    return train_released(extractor, head, positions, samples(), NOTHING, samples(), TRAINING).loss


def test_without_dropout_the_extractor_gives_the_same_features_in_train_mode():
    assert curves(0.0, seed=0) == curves(0.0, seed=1)


def test_a_lost_position_stays_lost_and_its_samples_come_back():
    positions = Positions(np.arange(100), batch=10, plr=0.85, seed=3)
    assert positions.arrives.sum() == 2
    assert positions.arrives.mean() == 0.2
    first = np.concatenate(list(positions.epoch()))
    assert len(first) == 20
    for _ in range(60):
        list(positions.epoch())
    assert positions.seen.all()
