"""Toys of training: its values, small networks, samples, and clients that train on them."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from fbftl.study.job import Training
from fbftl.training.local_updates import LocalUpdate, SplitModel
from fbftl.training.samples import LabelledInputs
from torch import nn


def training(**changed: Any) -> Training:
    """Return training values, some of them changed."""
    values = {"epochs": 1, "batch": 1, "clients_per_round": 3, "learning_rate": 0.05}
    values |= {"momentum": 0.9, "weight_decay": 5e-4, "validation": 0.0, "selection": "last"}
    return Training(**values | changed)


def samples(count: int = 30) -> LabelledInputs:
    """Return random images of 6 x 6 with one of four labels."""
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(count, 1, 6, 6, generator=generator)
    return LabelledInputs(inputs, torch.randint(0, 4, (count,), generator=generator))


def dense() -> SplitModel:
    """Return a network of two dense layers, cut between them."""
    torch.manual_seed(0)
    front = nn.Sequential(nn.Flatten(), nn.Linear(36, 16), nn.ReLU())
    return SplitModel(front.eval(), nn.Sequential(nn.Linear(16, 4)).eval())


def convolutional(dropout: float = 0.0) -> SplitModel:
    """Return a network of a convolution and a dense layer, cut between them."""
    torch.manual_seed(0)
    front = nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
    rest = nn.Sequential(nn.Dropout(dropout), nn.Linear(12, 4))
    return SplitModel(front.eval(), rest.eval())


def updates(ends: Sequence[int], seed: int = 7, round_number: int = 2) -> list[LocalUpdate]:
    """Return what clients train in a round, each on the rows between two ends."""
    return [
        LocalUpdate(seed, round_number, client, np.arange(*rows))
        for client, rows in enumerate(pairwise(ends))
    ]
