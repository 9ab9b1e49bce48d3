"""Noise that nobody can draw again: from the operating system's generator, without a seed.

Noise on what leaves a machine for good must not be repeatable, unlike that of experiments
(`fbftl.privacy.noise`), which is keyed by seed and sample.
"""

import os
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from fbftl.privacy.noise import responses


def system_noise(shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return standard normal noise from `os.urandom`, by the inverse distribution function.

    Args:
        shape: of the noise.
    """
    return ndtri(system_uniforms(shape)).astype(np.float32)


def system_responses(labels: ArrayLike, *, epsilon: float, classes: int) -> NDArray[np.int64]:
    """Return labels (n,) of N classes under randomised response: see `privacy.noise.respond`.

    Raises:
        UserError: if epsilon is not positive.
    """
    labels = np.asarray(labels)
    return responses(labels, system_uniforms((len(labels), 2)), epsilon=epsilon, classes=classes)


def system_uniforms(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return numbers between 0 and 1 from `os.urandom`, neither of these two among them."""
    words = np.frombuffer(os.urandom(8 * prod(shape)), np.uint64)
    # 52 bits and a half: with one bit more the largest of them would be rounded to 1.
    return (((words >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52).reshape(shape)
