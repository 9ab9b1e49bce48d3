"""Range coding of quantiser codes and kept positions, with the model sent along.

The model of the codes is their histogram, that of the positions the number kept, which the header
holds already. Both are coded by the range coder of `constriction`.
"""

import math
from dataclasses import dataclass

import constriction
import numpy as np

from fbftl.messages.codec.bitpack import (
    bitmap_of,
    positions_of,
    rice_decode,
    rice_encode,
    rice_parameter,
)


def entropy_bits(counts: np.ndarray) -> float:
    """Return the empirical entropy, in bits, of all symbols counted in `counts` together."""
    counts = counts[counts > 0].astype(np.float64)
    return float(np.sum(counts * np.log2(counts.sum() / counts)))


def log2_choices(width: int, count: int) -> float:
    """Return log2 of the number of ways to choose `count` positions out of `width`."""
    ways = math.lgamma(width + 1) - math.lgamma(count + 1) - math.lgamma(width - count + 1)
    return ways / math.log(2)


def encode_histogram(counts: np.ndarray) -> bytes:
    """Return the (levels,) counts as Golomb-Rice numbers."""
    parameter = rice_parameter(int(counts.sum()), len(counts))
    return rice_encode(counts[None], parameter)[0]


def decode_histogram(packed: np.ndarray, levels: int, total: int) -> tuple[np.ndarray, int]:
    """Return the (levels,) counts and how many bytes they took.

    Raises:
        ValueError: if they do not add up to `total`.
    """
    counts, length = rice_decode(packed, levels, rice_parameter(total, levels))
    if counts.sum() != total:
        raise ValueError("the histogram does not add up to the number of elements")
    return counts, length


class RangeEncoder:
    """Writes positions and codes one after the other into one range-coded string."""

    def __init__(self) -> None:
        self._coder = constriction.stream.queue.RangeEncoder()

    def positions(self, positions: np.ndarray, width: int) -> None:
        """Append positions (rows, count) out of `width`."""
        kept = bitmap_of(positions, width).reshape(-1)
        self._coder.encode(kept.astype(np.int32), _kept_model(positions.shape[1], width))

    def codes(self, codes: np.ndarray, counts: np.ndarray) -> None:
        """Append quantiser codes, whose histogram is `counts`."""
        self._coder.encode(codes.reshape(-1).astype(np.int32), _model(counts))

    def finish(self) -> bytes:
        """Return everything as little-endian 32-bit words."""
        return self._coder.get_compressed().astype("<u4").tobytes()


@dataclass(frozen=True)
class RangeDecoder:
    """Reads what `RangeEncoder` wrote, in the same order.

    Its methods raise ValueError where the words are no valid code.
    """

    _coder: constriction.stream.queue.RangeDecoder

    @classmethod
    def of(cls, packed: np.ndarray) -> "RangeDecoder":
        """Return a decoder of a (bytes,) uint8 array."""
        if len(packed) % 4:
            raise ValueError("the range-coded part is not made of whole 32-bit words")
        words = packed.view("<u4").astype(np.uint32)
        return cls(constriction.stream.queue.RangeDecoder(words))

    def positions(self, rows: int, count: int, width: int) -> np.ndarray:
        """Return positions (rows, count) out of `width`."""
        kept = self._decode(_kept_model(count, width), rows * width)
        return positions_of(kept.reshape(rows, width), count)

    def codes(self, counts: np.ndarray) -> np.ndarray:
        """Return all codes that `counts` counts, in one flat array."""
        return self._decode(_model(counts), int(counts.sum()))

    def close(self) -> None:
        """Check that nothing is left over."""
        if not self._coder.maybe_exhausted():
            raise ValueError("there is more in the range-coded part than the header says")

    def _decode(self, model: constriction.stream.model.Categorical, count: int) -> np.ndarray:
        try:
            return self._coder.decode(model, count)
        except AssertionError as error:  # what constriction raises for an impossible code
            raise ValueError("the range-coded part is no valid code") from error


def _model(counts: np.ndarray) -> constriction.stream.model.Categorical:
    return constriction.stream.model.Categorical(counts.astype(np.float64), perfect=False)


def _kept_model(count: int, width: int) -> constriction.stream.model.Categorical:
    return _model(np.array([width - count, count]))
