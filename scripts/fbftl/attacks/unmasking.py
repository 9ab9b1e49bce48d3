"""What masked weights tell: how they go with the true ones, and whether their bytes are uniform."""

import numpy as np
from numpy.typing import NDArray

from fbftl.privacy.masking import from_ring


def correlation(message: NDArray[np.uint64], values: np.ndarray) -> float:
    """Return the correlation of a masked message with what was masked, both (n,).

    Numbers are taken relative to the first, which undoes a mask of one number for all and leaves
    any other as random as it was.
    """
    return float(np.corrcoef(from_ring(message - message[0]), values)[0, 1])


def byte_uniformity(message: NDArray[np.uint64]) -> float:
    """Return the p-value of Pearson's chi-square test that the bytes of a message are uniform."""
    from scipy.stats import chisquare

    counts = np.bincount(np.frombuffer(message.tobytes(), dtype=np.uint8), minlength=256)
    return float(chisquare(counts).pvalue)
