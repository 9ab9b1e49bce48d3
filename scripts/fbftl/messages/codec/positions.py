"""Which elements of a sparse message were kept: as a bitmap, or as Golomb-Rice coded gaps."""

import numpy as np

from fbftl.messages.codec.bitpack import (
    packed_bytes,
    rice_bytes,
    rice_decode,
    rice_encode,
    rice_parameter,
)
from fbftl.messages.codec.header import Layout


def gaps_of(positions: np.ndarray) -> np.ndarray:
    """Return how many elements were left out before each kept one, (..., count)."""
    return np.diff(positions, axis=-1, prepend=-1) - 1


def positions_bytes(positions: np.ndarray, width: int) -> np.ndarray:
    """Return the (messages,) bytes that `encode_positions` gives to (messages, rows, count)."""
    messages, rows, count = positions.shape
    if count == width:
        return np.zeros(messages, dtype=np.int64)
    gaps = gaps_of(positions).reshape(messages, -1)
    coded = rice_bytes(gaps, rice_parameter(width - count, count))
    return np.minimum(coded, packed_bytes(rows * width, 1))


def encode_positions(positions: np.ndarray, width: int) -> list[tuple[Layout, bytes]]:
    """Encode the positions (messages, rows, count) of each message the cheaper way."""
    messages, rows, count = positions.shape
    if count == width:
        return [(Layout.DENSE, b"")] * messages
    gaps = gaps_of(positions).reshape(messages, -1)
    parameter = rice_parameter(width - count, count)
    coded = rice_encode(gaps, parameter)
    longest = packed_bytes(rows * width, 1)
    return [
        (Layout.GAPS, gaps_text)
        if len(gaps_text) < longest
        else (Layout.BITMAP, np.packbits(bitmap_of(message, width)).tobytes())
        for message, gaps_text in zip(positions, coded, strict=True)
    ]


def decode_positions(
    layout: Layout, packed: np.ndarray, rows: int, count: int, width: int
) -> tuple[np.ndarray, int]:
    """Return the positions (rows, count) and how many bytes of `packed` they took.

    Raises:
        ValueError: if the bytes are too few or say something impossible.
    """
    if layout is Layout.DENSE:
        return np.broadcast_to(np.arange(width), (rows, width)), 0
    if layout is Layout.BITMAP:
        length = packed_bytes(rows * width, 1)
        if length > len(packed):
            raise ValueError("it ends within the bitmap of kept positions")
        kept = np.unpackbits(packed[:length], count=rows * width).reshape(rows, width)
        return positions_of(kept, count), length
    gaps, length = rice_decode(packed, rows * count, rice_parameter(width - count, count))
    positions = np.cumsum(gaps.reshape(rows, count) + 1, axis=1) - 1
    if positions.max() >= width:
        raise ValueError("a kept position lies outside the vector")
    return positions, length


def bitmap_of(positions: np.ndarray, width: int) -> np.ndarray:
    """Return (rows, width) uint8, 1 where an element was kept."""
    kept = np.zeros((len(positions), width), dtype=np.uint8)
    np.put_along_axis(kept, positions, 1, axis=1)
    return kept


def positions_of(bitmap: np.ndarray, count: int) -> np.ndarray:
    """Return the positions (rows, count) of the ones in `bitmap` (rows, width).

    Raises:
        ValueError: if a row does not hold exactly `count` ones.
    """
    if (np.count_nonzero(bitmap, axis=1) != count).any():
        raise ValueError("the number of kept positions differs from the header's")
    return np.nonzero(bitmap)[1].reshape(-1, count)
