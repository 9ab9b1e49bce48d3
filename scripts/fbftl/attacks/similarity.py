"""How close a picture comes to another: PSNR and SSIM, on arrays with values in [0, 1]."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

SSIM_SIGMA = 1.5
"""Standard deviation in pixels of the Gaussian window (Wang et al. 2004)."""

SSIM_RADIUS = 5
"""The window ends here: 11 x 11 pixels, less in a smaller picture."""

SSIM_CONSTANTS = (0.01**2, 0.03**2)
"""(K1 L)^2 and (K2 L)^2 for the range L = 1."""


def psnr(originals: ArrayLike, others: ArrayLike) -> NDArray[np.float64]:
    """Return the peak signal-to-noise ratio of each picture in dB; equal pictures have infinity.

    Args:
        originals: pictures in [0, 1], shape (n, ...).
        others: pictures of the same shape.
    """
    a, b = np.asarray(originals, dtype=np.float64), np.asarray(others, dtype=np.float64)
    error = ((a - b) ** 2).reshape(len(a), -1).mean(axis=1)
    with np.errstate(divide="ignore"):
        return -10 * np.log10(error)


def ssim(originals: ArrayLike, others: ArrayLike) -> NDArray[np.float64]:
    """Return the mean structural similarity of each picture, at most 1 (Wang et al. 2004).

    At the border the window is cut off and its weights made to sum to 1.

    Args:
        originals: pictures in [0, 1], shape (n, channels, height, width) or (n, height, width).
        others: pictures of the same shape.
    """
    a, b = np.asarray(originals, dtype=np.float64), np.asarray(others, dtype=np.float64)
    c1, c2 = SSIM_CONSTANTS
    mean_a, mean_b = blur(a), blur(b)
    variance_a = blur(a * a) - mean_a**2
    variance_b = blur(b * b) - mean_b**2
    covariance = blur(a * b) - mean_a * mean_b
    likeness = ((2 * mean_a * mean_b + c1) * (2 * covariance + c2)) / (
        (mean_a**2 + mean_b**2 + c1) * (variance_a + variance_b + c2)
    )
    return likeness.reshape(len(a), -1).mean(axis=1)


def blur(pictures: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Gaussian-weighted local mean over the last two axes."""
    rows, columns = (window(size) for size in pictures.shape[-2:])
    return rows @ pictures @ columns.T


def window(size: int) -> NDArray[np.float64]:
    """Return the matrix, shape (size, size), whose row i weights the neighbours of pixel i."""
    distance = np.subtract.outer(np.arange(size), np.arange(size))
    weights = np.exp(-(distance**2) / (2 * SSIM_SIGMA**2)) * (np.abs(distance) <= SSIM_RADIUS)
    return weights / weights.sum(axis=1, keepdims=True)
