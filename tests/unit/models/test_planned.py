"""What is said of a network before any job is what the job finds; what does not fit is refused."""

import json
from typing import Any

import numpy as np
import pytest
import torch
from fbftl.ground.errors import UserError
from fbftl.models.chain import Chain
from fbftl.models.describe import describe
from fbftl.models.networks import build
from fbftl.models.planned import Cut, planned_cuts, trained
from safetensors.numpy import save_file

NETWORK = {"name": "vgg", "channels": [[3, 4], [5]], "fc": [7, 6], "dropout": 0.5}
SOURCE = {"kind": "pretrain", "network": NETWORK, "samples": 1000}
FEATURES: dict[str, Any] = {"cut": "fc1", "pool": "flatten", "size": None, "batch": 256}
BLOCK = {"source": SOURCE, "features": FEATURES, "head": [5], "networks": {}}
IMAGE = (9, 8, 3)


@pytest.mark.parametrize("norm", ["none", "batch"])
@pytest.mark.parametrize(("kernel", "padding"), [(3, "same"), (3, "valid"), (1, "same")])
def test_a_chain_is_as_large_before_any_job_as_torch_makes_it(norm, kernel, padding):
    chain = Chain((14, 15, 2), 4, [7], [[3], [5]], kernel, padding, [2, 3], norm)
    network, shape = build(chain).eval(), chain.image
    values = torch.zeros(1, 2, 14, 15)
    for planned, layer in zip(chain.layers(), network, strict=True):
        values, shape = layer(values), planned.output(shape)
        measured = tuple(values.permute(0, 2, 3, 1).shape if values.ndim == 4 else values.shape)
        assert shape == measured[1:]
        assert planned.parameters == sum(weight.numel() for weight in layer.parameters())


@pytest.mark.parametrize("cut", ["relu1_2", "pool2", "flatten", "fc1", "drop_fc2"])
def test_planned_sizes_are_those_that_a_job_describes(cut):
    block = BLOCK | {"features": FEATURES | {"cut": cut}}
    sizes = trained(block, [cut], classes=4, made_for=IMAGE, image=IMAGE)
    architecture = {"from": "vgg", "image": IMAGE, "classes": 52}
    architecture |= {key: value for key, value in NETWORK.items() if key != "name"}
    manifest = {
        "architecture": architecture,
        "preprocessing": {"size": None, "mean": [0.5] * 3, "std": [0.5] * 3},
    }
    described = describe(manifest, block["features"], IMAGE, [5], 4)
    layers = described.layers
    assert sizes.networks == {None: sum(layer.parameters for layer in layers)}
    assert sizes.heads == {cut: sum(layer.parameters for layer in layers[described.cut :])}


def test_a_library_s_network_is_sized_without_its_weights():
    source = {"kind": "load", "from": "torchvision", "name": "vgg16", "options": {}}
    features = FEATURES | {"pool": "none", "size": 224}
    cuts = planned_cuts(source, features, ["classifier.1", "classifier.4"])
    convolutions, dense = 14_714_688, 512 * 49 * 4096 + 4096
    assert cuts["classifier.1"] == Cut(4096, convolutions + dense)
    assert cuts["classifier.4"].parameters == convolutions + dense + 4097 * 4096
    assert planned_cuts(source, features | {"size": None}, ["classifier.1"]) == {}
    with pytest.raises(UserError, match=r"features.cut = fc9: there is no such layer"):
        planned_cuts(source, features, ["fc9"])


def test_a_transformers_network_is_planned_where_its_folder_is_at_hand(tmp_path):
    config = {"model_type": "vit", "hidden_size": 16, "num_hidden_layers": 1, "image_size": 32}
    config |= {"num_attention_heads": 2, "intermediate_size": 24, "patch_size": 8}
    (tmp_path / "config.json").write_text(json.dumps(config))
    source = {"kind": "load", "from": "transformers", "name": str(tmp_path), "options": {}}
    features = FEATURES | {"pool": "cls", "size": 32}
    cuts = planned_cuts(source, features, ["model.layernorm"])
    assert cuts["model.layernorm"].width == 16
    with pytest.raises(UserError, match=r"features.cut = fc9: there is no such .* model.layernorm"):
        planned_cuts(source, features, ["fc9"])
    assert planned_cuts(source | {"name": "google/vit"}, features, ["fc9"]) == {}


@pytest.mark.parametrize(
    ("features", "wanted", "image", "sentence"),
    [
        ({}, ["fc3"], IMAGE, r"cut = fc3: the source network has no such .* conv1_1, relu1_1"),
        ({}, ["fc1"], (28, 28, 1), "made for 9 x 8 pixels, but images of 28 x 28 enter it"),
        ({"pool": "none"}, ["pool1"], IMAGE, r"pool = none does not fit .* is 5 x 4 x 4"),
    ],
)
def test_what_does_not_fit_is_refused(features, wanted, image, sentence):
    with pytest.raises(UserError, match=sentence):
        planned_cuts(SOURCE, FEATURES | features, wanted, IMAGE, image)


TIMM_VIT = {"from": "timm", "name": "vit_tiny_patch16_224", "options": {}}
ALEXNET = {"from": "torchvision", "name": "alexnet", "options": {}}
GREY = {"from": "timm", "name": "resnet10t", "options": {"in_chans": 1}}
SMALL = {"from": "timm", "name": "vit_tiny_patch16_224", "options": {"img_size": 64, "depth": 1}}


@pytest.mark.parametrize(
    ("source", "features", "cut", "image", "sentence"),
    [
        (TIMM_VIT, {"size": 64}, "norm", None, "64 x 64 pixels .*set features.size"),
        (ALEXNET, {"size": 32}, "features.12", None, "32 x 32 pixels .*set features.size"),
        (SMALL, {}, "norm", None, "images of 224 x 224 pixels .*model .64"),
        (GREY, {"size": 32}, "layer4", None, "takes 1 channels, .* give features.mean and"),
        (ALEXNET, {}, "features.99", None, "cut = features.99: there is no such layer"),
    ],
)
def test_what_a_library_s_network_cannot_take_is_refused(source, features, cut, image, sentence):
    """Cases 07 and 13."""
    features = FEATURES | {"pool": "avg"} | features
    with pytest.raises(UserError, match=sentence):
        planned_cuts({"kind": "load", **source}, features, [cut], None, image)


def test_weights_of_another_network_are_refused(tmp_path):
    save_file({"other": np.ones(2, np.float32)}, tmp_path / "a.safetensors")
    source = {"kind": "load", **ALEXNET, "weights": "file", "file": str(tmp_path / "a.safetensors")}
    with pytest.raises(UserError, match=r"a\.safetensors does not fit the model"):
        planned_cuts(source, FEATURES, ["features.12"])
