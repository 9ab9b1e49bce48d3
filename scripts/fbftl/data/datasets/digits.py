"""The embedded data set: 1,797 handwritten digits of 8 x 8 pixels that scikit-learn ships."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from fbftl.data.datasets.base import Samples
from fbftl.ground.errors import UserError

SAMPLES = 1797
"""Digits in the set."""

CLASSES = tuple("0123456789")


def check(spec: Mapping[str, Any], folder: Path | None) -> None:
    """Check that scikit-learn is installed."""
    if find_spec("sklearn") is None:
        raise UserError("data.kind digits needs scikit-learn; install it or choose another kind")


def counts(spec: Mapping[str, Any], folder: Path | None) -> tuple[int, None]:
    """Return the number of digits; they have no test set of their own."""
    return SAMPLES, None


def class_names(spec: Mapping[str, Any], folder: Path | None) -> tuple[str, ...]:
    """Return the digits."""
    return CLASSES


def image(spec: Mapping[str, Any], folder: Path | None) -> tuple[int, int, int]:
    """Return the digits' height, width and channels."""
    return 8, 8, 1


def read(
    spec: Mapping[str, Any], folder: Path | None
) -> tuple[Samples, Samples | None, tuple[str, ...]]:
    """Return all digits as one pool; the 17 grey levels are spread over 0 to 255."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    pixels = np.rint(digits.images * (255 / 16)).astype(np.uint8)[..., np.newaxis]
    return Samples(pixels, digits.target.astype(np.int64)), None, CLASSES
