import numpy as np
import pytest
import torch
from fbftl.data.preprocess import Preprocessing, measured, preprocess
from fbftl.ground.errors import UserError
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

PLAIN = Preprocessing(None, (0.0,), (1.0,))


@given(arrays(np.uint8, (2, 3, 4, 1)))
def test_plain_preprocessing_scales_to_one_and_moves_channels(images):
    inputs = preprocess(images, PLAIN)
    assert inputs.dtype == torch.float32
    np.testing.assert_allclose(inputs.numpy(), images.transpose(0, 3, 1, 2) / 255, rtol=1e-6)


@given(st.integers(0, 2**32 - 1))
def test_measured_preprocessing_gives_zero_mean_and_unit_variance(seed):
    images = np.random.default_rng(seed).integers(0, 256, (20, 5, 5, 3), np.uint8)
    inputs = preprocess(images, measured(images))
    assert inputs.mean((0, 2, 3)).abs().max() < 1e-3
    assert (inputs.std((0, 2, 3), unbiased=False) - 1).abs().max() < 1e-3


def test_measured_on_constant_images_does_not_divide_by_zero():
    images = np.zeros((3, 4, 4, 1), np.uint8)
    assert torch.isfinite(preprocess(images, measured(images))).all()


def test_grey_is_repeated_and_colour_averaged():
    grey = np.full((1, 2, 2, 1), 51, np.uint8)
    three = preprocess(grey, Preprocessing(None, (0.0,) * 3, (1.0,) * 3))
    assert three.shape == (1, 3, 2, 2)
    assert torch.allclose(three, torch.tensor(0.2))
    colour = np.array([0, 51, 102], np.uint8).reshape(1, 1, 1, 3)
    assert preprocess(colour, PLAIN).item() == pytest.approx(0.2)


def test_two_channels_cannot_become_three():
    with pytest.raises(UserError, match="2 channels and the network takes 3"):
        preprocess(np.zeros((1, 2, 2, 2), np.uint8), Preprocessing(None, (0.0,) * 3, (1.0,) * 3))


def test_resizing_keeps_a_constant_image_constant():
    images = np.full((2, 9, 5, 1), 51, np.uint8)
    inputs = preprocess(images, Preprocessing(16, (0.0,), (1.0,)))
    assert inputs.shape == (2, 1, 16, 16)
    assert torch.allclose(inputs, torch.tensor(0.2))


def test_config_overrides_what_it_gives_and_nothing_else():
    trained = Preprocessing(224, (0.4, 0.4, 0.4), (0.2, 0.2, 0.2))
    silent = trained.overridden({"size": None, "mean": None, "std": None, "cut": "fc1"})
    assert silent == trained
    assert trained.overridden({"size": 32}) == Preprocessing(32, trained.mean, trained.std)
    assert Preprocessing.of(trained.document()) == trained


@pytest.mark.parametrize(("mean", "std"), [([0.5], [0.5, 0.5]), ([], []), ([0.5], [0.0])])
def test_senseless_normalisation_is_refused(mean, std):
    with pytest.raises(UserError, match="one value per channel"):
        Preprocessing.of({"mean": mean, "std": std})
