"""Which axis has the channels is what layers say: of every network, at every place, any size."""

import numpy as np
import pytest
import torch
from fbftl.data.preprocess import Preprocessing
from fbftl.models.axes import ChannelAxes, channel_axis
from fbftl.models.backbones import build_backbone
from fbftl.models.cut import extractor
from fbftl.models.cut_choices import cut_choices
from fbftl.models.forward import Pool, forward_fn
from fbftl.models.planned import planned_cuts

TIMM_SWIN = {"img_size": 32, "embed_dim": 8, "depths": [1, 1], "num_heads": [1, 2]}
TIMM_SWIN |= {"window_size": 2}
SWIN_T = ("torchvision", "swin_t", {})
WIDTHS = [
    (SWIN_T, "norm", 64, 768),
    (SWIN_T, "permute", 64, 768),
    (SWIN_T, "features.1", 384, 96),
    (("torchvision", "convnext_tiny", {}), "features.1", 384, 96),
    (("torchvision", "convnext_tiny", {}), "features.7", 32, 768),
    (("torchvision", "densenet121", {}), "features.denseblock1", 128, 256),
    (("torchvision", "vit_b_32", {}), "encoder", 224, 768),
    (("timm", "swin_tiny_patch4_window7_224", TIMM_SWIN), "norm", 32, 16),
    (("timm", "swin_tiny_patch4_window7_224", TIMM_SWIN), "layers.0", 32, 8),
    (("timm", "convnextv2_atto", {}), "stages.1", 32, 80),
]


@pytest.mark.parametrize(("network", "cut", "side", "width"), WIDTHS)
def test_the_mean_over_places_has_a_value_for_each_channel(network, cut, side, width):
    with torch.device("meta"):
        model, example = build_backbone(*network), torch.zeros(2, 3, side, side)
        front = extractor(model, [cut], example)
        with ChannelAxes():
            output = front(example)[cut]
    assert output.shape[channel_axis(output)] == width
    assert Pool("avg", output)(output).shape == (2, width)


def test_the_pooled_map_of_a_swin_is_the_same_before_and_behind_its_permutation():
    """Case 02: `norm` (n, h, w, c) pooled is `permute` (n, c, h, w) pooled."""
    torch.manual_seed(0)
    model = build_backbone("torchvision", "swin_t", {})
    pixels = np.random.default_rng(0).integers(0, 256, (2, 32, 32, 3), np.uint8)
    cuts, spec = ["norm", "permute"], Preprocessing(64, (0.5,) * 3, (0.5,) * 3)
    rows = forward_fn(model, cuts, spec, pixels.shape[1:], "avg")({"pixels": pixels})
    assert rows["norm"].shape == (2, 768)
    np.testing.assert_allclose(*rows.values(), rtol=1e-5, atol=1e-6)


def test_layer_lists_and_plans_give_the_width_that_is_uploaded():
    source = {"kind": "load", "from": "timm", "name": "swin_tiny_patch4_window7_224"}
    source |= {"options": TIMM_SWIN, "weights": "random", "file": None}
    manifest = {"architecture": {key: source[key] for key in ("from", "name", "options")}}
    manifest["preprocessing"] = Preprocessing(None, (0.5,) * 3, (0.5,) * 3).document()
    listed = cut_choices(manifest, {}, (32, 32, 3)).set_index("layer")
    assert listed.loc["norm", "avg"] == 16
    planned = planned_cuts(source, {"size": 32, "pool": "avg", "mean": None}, ["norm"])
    assert planned["norm"].width == 16
