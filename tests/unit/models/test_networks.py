import pytest
import torch
from fbftl.ground.errors import UserError
from fbftl.models.chain import chain_of
from fbftl.models.networks import random_split, vgg
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


def test_layer_names():
    names = [name for name, _ in vgg((8, 8, 1), [[2, 2], [3]], [5], 4).named_children()]
    first, second = names[:5], names[5:8]
    assert first == ["conv1_1", "relu1_1", "conv1_2", "relu1_2", "pool1"]
    assert second == ["conv2_1", "relu2_1", "pool2"]
    assert names[8:] == ["flatten", "fc1", "relu_fc1", "drop_fc1", "output"]


@pytest.mark.parametrize("image", [(8, 8, 1), (28, 28, 1), (32, 32, 3), (5, 7, 2), (1, 3, 1)])
def test_any_image_size_goes_through(image):
    height, width, channels = image
    model = vgg(image, [[2], [3]], [5], 4)
    assert model(torch.zeros(2, channels, height, width)).shape == (2, 4)


def test_dropout_acts_in_train_mode_only():
    model = vgg((8, 8, 1), [[2]], [64], 4, dropout=0.5)
    inputs = torch.randn(4, 1, 8, 8)
    assert not torch.equal(model.train()(inputs), model(inputs))
    assert torch.equal(model.eval()(inputs), model(inputs))


def test_too_many_blocks_are_refused():
    with pytest.raises(UserError, match="can be pooled 3 times only"):
        vgg((8, 8, 1), [[2]] * 4, [5], 4)


def test_a_convolutional_network_begins_with_hes_normal_values_where_it_is_asked_to():
    """Of fan-in 9 · 64 and 1,024: no uniform law of torch's has such tails, or no biases."""
    block = {"kind": "cnn", "channels": [[64, 64]], "fc": [128], "pool": 2, "cut": "pool1"}
    for init, biased in (("he", False), ("torch", True)):
        chain = chain_of(block | {"init": init}, (8, 8, 1), 10)
        front, rest = random_split(chain, "pool1", 0)
        convolution = front.get_submodule("conv1_2")
        dense = next(layer for layer in rest if isinstance(layer, nn.Linear))
        assert bool(convolution.bias.any()) == bool(dense.bias.any()) == biased
        for weight, fan_in in ((convolution.weight, 9 * 64), (dense.weight, 16 * 64)):
            deviation = float(weight.detach().std()) * (fan_in / 2) ** 0.5
            assert (abs(deviation - 1) < 0.02) == (not biased)
