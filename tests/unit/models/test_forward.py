import numpy as np
import pytest
import torch
from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.ground.errors import UserError
from fbftl.models.forward import INPUTS, Pool, forward_fn, stage_fn
from fbftl.models.networks import vgg

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


def test_a_map_without_pooling_is_refused_before_any_batch(model):
    with pytest.raises(UserError, match=r"pool = none does not fit .* 4 x 4 x 4; use flatten"):
        forward_fn(model, ["pool1"], SPEC, IMAGE)


def test_pools():
    maps, tokens = torch.arange(24.0).view(1, 2, 3, 4), torch.arange(6.0).view(1, 3, 2)
    assert Pool("avg")(maps).tolist() == [[5.5, 17.5]]
    assert Pool("avg")(tokens).tolist() == [[2, 3]]
    assert Pool("cls")(tokens).tolist() == [[0, 1]]
    assert Pool("flatten")(maps).tolist() == [list(range(24))]
    for how in ("none", "avg", "flatten", "cls"):
        assert Pool(how)(tokens[0]) is not None
        assert torch.equal(Pool(how)(tokens[0]), tokens[0])
