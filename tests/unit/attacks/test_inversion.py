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


def test_reconstructions_get_worse_as_epsilon_falls(data):
    public, public_inputs, features, inputs = data
    c = float(np.median(row_norms(public)))
    quality = []
    for epsilon in (1000, 10, 1):
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


def test_features_and_inputs_must_match():
    with pytest.raises(UserError, match="got 2 and 3"):
        train_decoder(np.zeros((2, 4)), np.zeros((3, 8, 8)), seed=0)
    with pytest.raises(UserError, match="got 0 and 0"):
        train_decoder(np.zeros((0, 4)), np.zeros((0, 8, 8)), seed=0)
