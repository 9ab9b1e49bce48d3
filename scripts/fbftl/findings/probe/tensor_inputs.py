"""Inputs of the probe as tensors."""

import torch

from fbftl.findings.probe.inputs import floats, integers


def tensor(*shape: int, draw: int = 0, reach: int = 4) -> torch.Tensor:
    """Return what `inputs.numbers` gives as a float32 tensor."""
    return torch.from_numpy(floats(*shape, draw=draw, reach=reach))


def labels(count: int, classes: int, draw: int = 0) -> torch.Tensor:
    """Return labels (count,), int64, from 0 to `classes` - 1."""
    return torch.from_numpy(integers(classes, count, draw=draw))
