"""Initial values of a task's networks: how far they spread, and which layers they are drawn for."""

import math

import pytest
import torch
from fbftl.models.chain import Chain
from fbftl.models.networks import random_split

CHAIN = {"image": (8, 8, 3), "classes": 10, "fc": [64], "channels": [[64, 32]]}


def layers(init: str) -> dict[str, torch.nn.Module]:
    front, rest = random_split(Chain(**CHAIN, init=init), "relu1_1", 0)
    return dict([*front.named_children(), *rest.named_children()])


@pytest.mark.parametrize(("init", "fan"), [("fan_out", 32 * 9), ("he", 64 * 9)])
def test_convolutions_spread_by_what_leaves_or_enters_them(init, fan):
    convolution = layers(init)["conv1_2"]
    assert convolution.weight.std().item() == pytest.approx(math.sqrt(2 / fan), rel=0.03)
    assert not convolution.bias.any()


def test_fan_out_leaves_dense_layers_within_torch_s_bounds():
    dense = layers("fan_out")["fc1"]
    bound = 1 / math.sqrt(dense.in_features)
    assert dense.weight.abs().max() <= bound
    assert dense.bias.any()
    assert layers("he")["fc1"].weight.abs().max() > bound
