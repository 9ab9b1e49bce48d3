"""The embedded data set: 1,797 handwritten digits of 8 x 8 pixels that scikit-learn ships."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fbftl.data.datasets.base import Outline, Samples

SAMPLES = 1797
"""Digits in the set."""

CLASSES = tuple("0123456789")


def outline(spec: Mapping[str, Any], folder: Path | None) -> Outline:
    """Return what is known of the digits; they have no test set of their own."""
    return Outline([SAMPLES], CLASSES, (8, 8, 1))


def read(spec: Mapping[str, Any], folder: Path | None) -> tuple[list[Samples], Sequence[str]]:
    """Return all digits as one pool; the 17 grey levels are spread over 0 to 255."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    pixels = np.rint(digits.images * (255 / 16)).astype(np.uint8)[..., np.newaxis]
    return [Samples(pixels, digits.target.astype(np.int64))], CLASSES
