"""Which test samples a model classifies rightly, a bit each: what pairs two accuracies."""

import base64
import zlib

import numpy as np

RIGHT = "right"
"""Of a run's repetition and of a tidy table: the text."""


def packed(right: np.ndarray) -> str:
    """Return booleans (n,) as text: n, a colon and their compressed bits in base64."""
    bits = zlib.compress(np.packbits(right).tobytes(), level=9)
    return f"{len(right)}:{base64.b64encode(bits).decode()}"


def unpacked(text: str) -> np.ndarray:
    """Return the booleans (n,) of a text by `packed`.

    Raises:
        ValueError: if it is no such text.
    """
    count, _, bits = text.partition(":")
    try:
        octets = zlib.decompress(base64.b64decode(bits, validate=True))
        return np.unpackbits(np.frombuffer(octets, np.uint8), count=int(count)).astype(bool)
    except (ValueError, zlib.error) as error:
        raise ValueError(f"the bits of right answers are damaged ({error})") from error
