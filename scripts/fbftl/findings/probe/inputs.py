"""Inputs of the probe: drawn as integers and scaled by powers of two, so that no input rounds."""

import numpy as np

from fbftl.ground.randomness import stream

STEPS = 2**17
"""Steps in a unit; a number has at most 20 bits, which float32 holds."""


def integers(most: int, *shape: int, draw: int = 0) -> np.ndarray:
    """Return whole numbers from 0 to `most` - 1, int64 of a shape.

    Args:
        most: how many numbers there are to draw from.
        shape: of the array.
        draw: names the draw; another number gives other integers.
    """
    return stream(0, "probe", draw, *shape).integers(most, size=shape)


def numbers(*shape: int, draw: int = 0, reach: int = 4) -> np.ndarray:
    """Return numbers between -`reach` and `reach`, float64 of a shape, exact in float32 too.

    Args:
        shape: of the array.
        draw: names the draw.
        reach: bound of the numbers, a power of two up to 4; from 8 on steps grow with it.
    """
    steps = STEPS * 4
    return (integers(2 * steps, *shape, draw=draw) - steps) * (reach / steps)


def floats(*shape: int, draw: int = 0, reach: int = 4) -> np.ndarray:
    """Return what `numbers` gives as float32."""
    return numbers(*shape, draw=draw, reach=reach).astype(np.float32)


def positive_definite(width: int) -> np.ndarray:
    """Return a matrix (width, width) of float64 that has a Cholesky factor: A Aᵀ/1024 + I."""
    # Products of whole numbers are exact, in whatever order they are added.
    factor = integers(64, width, 2 * width) - 32
    return (factor @ factor.T) / 2.0**10 + np.eye(width)
