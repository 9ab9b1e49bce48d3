import numpy as np
import pytest
from fbftl.attacks.inversion import psnr, ssim, window
from fbftl.ground.randomness import stream


def pictures(n: int = 4, shape: tuple[int, ...] = (9, 12)) -> np.ndarray:
    return stream(0, "test").random((n, *shape))


def test_psnr_of_a_known_error():
    a = np.full((3, 4, 4), 0.5)
    np.testing.assert_allclose(
        psnr(a, a + np.array([0.1, 0.01, 0.5])[:, None, None]), [20, 40, 6.0206], rtol=1e-4
    )
    assert psnr(a, a).tolist() == [np.inf] * 3


def test_equal_pictures_are_fully_similar():
    np.testing.assert_allclose(ssim(pictures(), pictures()), 1.0)


def test_ssim_of_constant_pictures_compares_their_means():
    a, b = np.full((1, 8, 8), 0.2), np.full((1, 8, 8), 0.7)
    c1 = 0.01**2
    expected = (2 * 0.2 * 0.7 + c1) / (0.2**2 + 0.7**2 + c1)
    assert ssim(a, b)[0] == pytest.approx(expected, rel=1e-9)


def test_ssim_is_symmetric_and_falls_with_noise():
    a = pictures()
    noise = stream(1, "test").normal(size=a.shape)
    little, much = a + 0.05 * noise, a + 0.5 * noise
    np.testing.assert_allclose(ssim(a, little), ssim(little, a))
    turned = (picture.swapaxes(1, 2) for picture in (a, little))
    np.testing.assert_allclose(ssim(a, little), ssim(*turned))
    assert (ssim(a, much) < ssim(a, little)).all()
    assert (ssim(a, little) < 1).all()


def test_windows_are_weighted_means():
    for size in (1, 3, 30):
        np.testing.assert_allclose(window(size).sum(axis=1), 1.0)
    assert (window(30)[15] > 0).sum() == 11
