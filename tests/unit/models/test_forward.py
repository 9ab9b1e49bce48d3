"""The frozen extractor's features: what it computes, and which axis holds channels."""

import numpy as np
import pytest
import torch
from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.models.backbones import build_backbone
from fbftl.models.cut import extractor
from fbftl.models.forward import INPUTS, ChannelAxes, Pool, channel_axis, forward_fn, stage_fn
from fbftl.models.networks import vgg
from fbftl.models.planned import planned_cuts

IMAGE = (8, 8, 1)
SPEC = Preprocessing(None, (0.3,), (0.4,))


@pytest.fixture
def model():
    torch.manual_seed(0)
    return vgg(IMAGE, [[4, 4], [6]], [16], 5, dropout=0.5)


@pytest.fixture
def pixels():
    return np.random.default_rng(0).integers(0, 256, (10, *IMAGE), np.uint8)


def test_features_are_the_eval_mode_outputs(model, pixels):
    cuts, names = ["pool1", "drop_fc1"], [name for name, _ in model.named_children()]
    features = forward_fn(model.train(), cuts, SPEC, IMAGE, pool="flatten")({"pixels": pixels})
    assert list(features) == cuts
    for cut, values in features.items():
        assert values.dtype == np.float32
        with torch.no_grad():
            expected = model.eval()[: names.index(cut) + 1](preprocess(pixels, SPEC)).flatten(1)
        np.testing.assert_allclose(values, expected.numpy(), rtol=1e-5, atol=1e-6)


def test_staged_batches_give_the_same_features(model, pixels, device):
    forward, stage = forward_fn(model, ["fc1"], SPEC, IMAGE, device=device), stage_fn(device, SPEC)
    staged = stage({"pixels": pixels, "label": np.arange(10)})
    assert "pixels" not in staged
    assert staged[INPUTS].device.type == device
    assert torch.equal(staged[INPUTS].cpu(), preprocess(pixels, SPEC))
    np.testing.assert_array_equal(forward(staged)["fc1"], forward({"pixels": pixels})["fc1"])
    np.testing.assert_array_equal(staged["label"], np.arange(10))


def test_pools():
    maps, tokens = torch.arange(24.0).view(1, 2, 3, 4), torch.arange(6.0).view(1, 3, 2)
    assert Pool("avg")(maps).tolist() == [[5.5, 17.5]]
    assert Pool("avg")(tokens).tolist() == [[2, 3]]
    assert Pool("cls")(tokens).tolist() == [[0, 1]]
    assert Pool("flatten")(maps).tolist() == [list(range(24))]
    for how in ("none", "avg", "flatten", "cls"):
        assert Pool(how)(tokens[0]) is not None
        assert torch.equal(Pool(how)(tokens[0]), tokens[0])


TIMM_SWIN = {"img_size": 32, "embed_dim": 8, "depths": [1, 1], "num_heads": [1, 2]}
TIMM_SWIN |= {"window_size": 2}
SWIN_T = ("torchvision", "swin_t", {})
WIDTHS = [
    (SWIN_T, 64, {"features.1": 96, "norm": 768, "permute": 768}),
    (("torchvision", "convnext_tiny", {}), 384, {"features.1": 96, "features.7": 768}),
    (("torchvision", "vit_b_32", {}), 224, {"encoder": 768}),
    (("timm", "swin_tiny_patch4_window7_224", TIMM_SWIN), 32, {"layers.0": 8, "norm": 16}),
    (("timm", "convnextv2_atto", {}), 32, {"stages.1": 80}),
]


@pytest.mark.parametrize(("network", "side", "widths"), WIDTHS)
def test_the_mean_over_places_has_a_value_for_each_channel(network, side, widths):
    with torch.device("meta"):
        model, example = build_backbone(*network), torch.zeros(2, 3, side, side)
        front = extractor(model, list(widths), example)
        with ChannelAxes():
            outputs = front(example)
    for cut, width in widths.items():
        assert outputs[cut].shape[channel_axis(outputs[cut])] == width
        assert Pool("avg", outputs[cut])(outputs[cut]).shape == (2, width)


def test_the_pooled_map_of_a_swin_is_the_same_before_and_behind_its_permutation():
    """Case 02: `norm` (n, h, w, c) pooled is `permute` (n, c, h, w) pooled."""
    torch.manual_seed(0)
    model = build_backbone("torchvision", "swin_t", {})
    pixels = np.random.default_rng(0).integers(0, 256, (2, 32, 32, 3), np.uint8)
    cuts, spec = ["norm", "permute"], Preprocessing(64, (0.5,) * 3, (0.5,) * 3)
    rows = forward_fn(model, cuts, spec, pixels.shape[1:], "avg")({"pixels": pixels})
    assert rows["norm"].shape == (2, 768)
    np.testing.assert_allclose(*rows.values(), rtol=1e-5, atol=1e-6)


def test_plans_give_the_width_that_is_uploaded():
    source = {"kind": "load", "from": "timm", "name": "swin_tiny_patch4_window7_224"}
    source |= {"options": TIMM_SWIN, "weights": "random", "file": None}
    planned = planned_cuts(source, {"size": 32, "pool": "avg", "mean": None}, ["norm"])
    assert planned["norm"].width == 16
