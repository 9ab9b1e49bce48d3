import torch
from fbftl.models.networks import vgg
from torch import nn


def parameters(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def test_vgg16_has_the_published_counts():
    blocks = [[64, 64], [128, 128], [256] * 3, [512] * 3, [512] * 3]
    with torch.device("meta"):
        model = vgg((224, 224, 3), blocks, [4096, 4096], 1000)
    by_name = dict(model.named_children())
    convolutions = [layer for name, layer in by_name.items() if name.startswith("conv")]
    assert sum(map(parameters, convolutions)) == 14_714_688
    assert parameters(by_name["fc1"]) == 102_764_544
    assert parameters(model) == 138_357_544


def test_dropout_acts_in_train_mode_only():
    model = vgg((8, 8, 1), [[2]], [64], 4, dropout=0.5)
    inputs = torch.randn(4, 1, 8, 8)
    assert not torch.equal(model.train()(inputs), model(inputs))
    assert torch.equal(model.eval()(inputs), model(inputs))
