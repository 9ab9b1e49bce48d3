"""VGG as its paper counts it."""

import torch
from fbftl.models.networks import vgg
from torch import nn


def parameters(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def test_vgg16_has_the_published_counts() -> None:
    blocks = [[64, 64], [128, 128], [256] * 3, [512] * 3, [512] * 3]
    with torch.device("meta"):
        model = vgg((224, 224, 3), blocks, [4096, 4096], 1000)
    by_name = dict(model.named_children())
    convolutions = [layer for name, layer in by_name.items() if name.startswith("conv")]
    assert sum(map(parameters, convolutions)) == 14_714_688
    assert parameters(by_name["fc1"]) == 102_764_544
    assert parameters(model) == 138_357_544
