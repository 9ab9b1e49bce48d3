"""Noise that nobody can draw again: from the operating system's generator, without a seed.

Noise on what leaves a machine for good must not be repeatable, unlike that of experiments
(`fbftl.privacy.noise`), which is keyed by seed and sample.
"""

import os
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri


def system_noise(shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return standard normal noise from `os.urandom`, by the inverse distribution function.

    Args:
        shape: of the noise.
    """
    count = prod(shape)
    words = np.frombuffer(os.urandom(8 * count), np.uint64)
    uniform = ((words >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    return ndtri(uniform).astype(np.float32).reshape(shape)
