"""Small fully connected networks that adversaries train, drawn from a given generator."""

from itertools import pairwise

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn


def multilayer(widths: tuple[int, ...], generator: torch.Generator) -> nn.Sequential:
    """Return linear layers of these widths with ReLU between them, He-initialised."""
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(widths):
        layer = nn.Linear(inputs, outputs)
        nn.init.kaiming_normal_(layer.weight, nonlinearity="relu", generator=generator)
        nn.init.zeros_(layer.bias)
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def tensor(array: ArrayLike, device: torch.device | str = "cpu") -> Tensor:
    """Return an array as a float32 tensor on a device."""
    return torch.as_tensor(np.asarray(array, dtype=np.float32)).to(device)
