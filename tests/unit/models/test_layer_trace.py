"""A traced module and its closed form agree, layer by layer."""

import inspect
from dataclasses import asdict
from operator import attrgetter

import pytest
import torch
from fbftl.ground.errors import UserError
from fbftl.models.backbones import build_backbone
from fbftl.models.cost.architectures import FLAN_T5_SMALL, t5, vgg16
from fbftl.models.cost.layers import multiplications, parameters, products
from fbftl.models.cut import extractor
from fbftl.models.describe import trace
from torch import nn


@pytest.fixture(scope="module")
def torchvision():
    """torchvision beside a CPU torch, whose two missing operators are declared first."""
    return pytest.importorskip("fbftl.ground.torchvision_ops").import_torchvision()


def test_a_layer_called_twice_is_counted_once_and_multiplies_twice():
    layer = nn.Linear(4, 4)
    network = trace(nn.Sequential(layer, nn.ReLU(), layer), {"input": torch.zeros(1, 4)}, "0", "m")
    assert parameters(network.layers) == 20
    assert multiplications(network.layers) == 40


def test_tied_weights_are_counted_at_the_first_layer():
    first, second = nn.Linear(4, 4, bias=False), nn.Linear(4, 4, bias=False)
    second.weight = first.weight
    network = trace(nn.Sequential(first, second), {"input": torch.zeros(1, 4)}, "0", "m")
    assert [layer.parameters for layer in network.layers] == [16, 0]
    assert products(network.layers) == 32


def test_layers_that_one_call_misses_are_refused():
    class Branching(nn.Module):
        def __init__(self):
            super().__init__()
            self.used, self.unused = nn.Linear(2, 2), nn.Linear(2, 2)

        def forward(self, input):
            return self.used(input)

    with pytest.raises(UserError, match="unused"):
        trace(Branching(), {"input": torch.zeros(1, 2)}, "used", "branching")


@pytest.mark.usefixtures("torchvision")
@pytest.mark.parametrize(
    ("library", "name"),
    [
        ("torchvision", "swin_t"),  # dense layers whose weights a function takes
        ("torchvision", "convnext_tiny"),  # parameters beside layers
        ("timm", "vit_tiny_patch16_224"),  # class token and position embedding
        ("timm", "mobilenetv3_small_050"),  # layers composed of functions
    ],
)
def test_an_interrupted_model_counts_as_the_model_itself(library, name):
    with torch.device("meta"):
        model, example = build_backbone(library, name, {}), torch.zeros(1, 3, 224, 224)
    *_, last = (path for path, layer in model.named_modules() if isinstance(layer, nn.Linear))
    front = extractor(model, [last], example.expand(2, -1, -1, -1))
    [first] = (key for key in inspect.signature(model.forward).parameters if key in ("x", "input"))
    itself = trace(model, {first: example}, last, "m").layers
    traced = trace(front, {"inputs": example}, f"model.{last}", "m").layers
    assert parameters(traced) == parameters(itself) == sum(p.numel() for p in model.parameters())
    assert multiplications(traced) == multiplications(itself)


@pytest.mark.parametrize("resolution", [32, 224])
def test_torchvision_vgg16_agrees_with_the_closed_form(torchvision, resolution):
    with torch.device("meta"):
        model = torchvision.models.vgg16(weights=None, num_classes=10)
    example = {"x": torch.empty(1, 3, resolution, resolution, device="meta")}
    traced = trace(model, example, cut="classifier.3", name="vgg16").layers
    closed = vgg16(resolution, frozen_dense=(4096,), head=(4096, 10)).layers
    counts = attrgetter("kind", "parameters", "inputs", "outputs", "products", "bias_additions")
    assert [*map(counts, traced)] == [*map(counts, closed)]


@pytest.mark.usefixtures("torchvision")
def test_transformers_t5_agrees_with_the_closed_form():
    transformers = pytest.importorskip("transformers")
    shape = FLAN_T5_SMALL
    config = transformers.T5Config(**asdict(shape))
    with torch.device("meta"):
        model = transformers.T5ForConditionalGeneration(config)
        model.lm_head.weight = nn.Parameter(model.lm_head.weight.clone())
    token = torch.zeros(1, 1, dtype=torch.long, device="meta")
    network = trace(
        model, {"input_ids": token, "decoder_input_ids": token}, "lm_head", "flan-t5-small"
    )
    closed = t5(shape, trained_encoders=8)
    assert parameters(network.layers) == parameters(closed.layers) == 76_961_152
    assert products(network.layers) == products(closed.layers)
    for stack in ("encoder", "decoder"):
        for index in range(shape.num_layers):
            block = [la for la in network.layers if la.name.startswith(f"{stack}.block.{index}.")]
            expected = next(la for la in closed.layers if la.name == f"{stack}.{index}")
            assert parameters(block) == expected.parameters
            assert products(block) == expected.products
