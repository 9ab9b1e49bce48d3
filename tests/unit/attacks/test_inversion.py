from itertools import pairwise

import numpy as np
import pytest
from fbftl.attacks.inversion import DecoderTraining, likenesses, train_decoder
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream
from fbftl.privacy.accounting import gaussian_sigma
from fbftl.privacy.noise import add_gaussian, clip_rows, row_norms, sample_noise

TRAINING = DecoderTraining(hidden=(96,), epochs=20)


@pytest.fixture(scope="module")
def data() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Blobs on an 8 x 8 grid and ReLU features of them: public, then the clients'."""
    rng = stream(0, "test")
    y, x = np.mgrid[0:8, 0:8]
    centre = rng.uniform(1, 6, size=(900, 2, 1, 1))
    inputs = np.exp(-((y - centre[:, 0]) ** 2 + (x - centre[:, 1]) ** 2) / 3)
    features = np.maximum((inputs.reshape(900, 64) - 0.1) @ rng.normal(size=(64, 80)), 0)
    return features[:700], inputs[:700], features[700:], inputs[700:]


def test_clean_features_give_the_inputs_away(data):
    public, public_inputs, features, inputs = data
    decoder = train_decoder(public, public_inputs, seed=0, training=TRAINING)
    psnr, ssim = likenesses(decoder(features), inputs, public_inputs)
    assert psnr.values.mean() > psnr.blind + 6
    assert ssim.values.mean() > ssim.blind + 0.2


def test_features_that_say_nothing_are_no_worse_than_none(data):
    _, public_inputs, _, inputs = data
    nothing = stream(1, "test").normal(size=(900, 80))
    decoder = train_decoder(nothing[:700], public_inputs, seed=0, training=TRAINING)
    for likeness in likenesses(decoder(nothing[700:]), inputs, public_inputs):
        assert likeness.values.mean() > likeness.blind - 0.01


def test_reconstructions_get_worse_as_epsilon_falls(data):
    public, public_inputs, features, inputs = data
    c = float(np.median(row_norms(public)))
    quality = []
    for epsilon in (1000, 100, 10, 1):
        sigma = gaussian_sigma(epsilon, 1e-6)
        noise = sample_noise(1, np.arange(len(features)), features.shape[1])
        decoder = train_decoder(
            clip_rows(public, c), public_inputs, seed=0, noise_std=sigma * c, training=TRAINING
        )
        noisy = add_gaussian(features, noise, sigma=sigma, clip_norm=c)
        quality.append(likenesses(decoder(noisy), inputs, public_inputs)[0])
    psnrs = [psnr.values.mean() for psnr in quality]
    assert all(more > less - 0.1 for more, less in pairwise(psnrs))
    assert psnrs[0] > psnrs[-1] + 1
    assert psnrs[-1] == pytest.approx(quality[-1].blind, abs=0.5)


def test_an_untrained_decoder_draws_the_mean_picture(data):
    public, public_inputs, features, _ = data
    untrained = DecoderTraining(epochs=0)
    decoded = train_decoder(public, public_inputs, seed=0, training=untrained)(features)
    mean = np.clip(public_inputs.mean(axis=0), 1e-3, 1 - 1e-3)
    np.testing.assert_allclose(decoded, np.broadcast_to(mean, decoded.shape), atol=1e-5)


def test_shape_range_and_seed(data):
    public, public_inputs, features, _ = data
    short = DecoderTraining(hidden=(8,), epochs=1)
    rgb = np.repeat(public_inputs[:, None], 3, axis=1)
    first, again, other = (
        train_decoder(public, rgb, seed=s, training=short)(features) for s in (0, 0, 1)
    )
    assert first.shape == (200, 3, 8, 8)
    assert first.min() >= 0
    assert first.max() <= 1
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_features_and_inputs_must_match():
    with pytest.raises(UserError, match="got 2 and 3"):
        train_decoder(np.zeros((2, 4)), np.zeros((3, 8, 8)), seed=0)
    with pytest.raises(UserError, match="got 0 and 0"):
        train_decoder(np.zeros((0, 4)), np.zeros((0, 8, 8)), seed=0)
