"""Golomb-Rice coding of non-negative integers whose sum both sides know.

A number is split into a quotient, sent in unary, and `parameter` low bits, sent plainly. The low
bits of all numbers come first and the quotients after them, so that both are read by array
operations.
"""

import numpy as np

from fbftl.messages.codec.bitpack import pack, packed_bytes, unpack


def rice_parameter(total: int, count: int) -> int:
    """Return the number of low bits for `count` numbers that add up to about `total`.

    It is floor(log2(mean + 1/2)), which is optimal for geometric numbers but for a negligible
    margin (Kiely 2004, "Selecting the Golomb parameter in Rice coding"); integers only, so that
    every machine finds the same value.
    """
    return max(0, ((2 * total + count) // (2 * count)).bit_length() - 1)


def rice_bytes(numbers: np.ndarray, parameter: int) -> np.ndarray:
    """Return the (messages,) lengths in bytes that `rice_encode` would give."""
    count = numbers.shape[1]
    unary = (numbers >> parameter).sum(axis=1) + count
    return packed_bytes(count, parameter) + (unary + 7) // 8


def rice_encode(numbers: np.ndarray, parameter: int) -> list[bytes]:
    """Encode each row of `numbers` (messages, count)."""
    low = pack(numbers & ((1 << parameter) - 1), parameter)
    ends = np.cumsum((numbers >> parameter) + 1, axis=1)
    unary = np.zeros((len(numbers), int(ends[:, -1].max())), dtype=np.uint8)
    np.put_along_axis(unary, ends - 1, 1, axis=1)
    high = np.packbits(unary, axis=1)
    lengths = (ends[:, -1] + 7) // 8
    return [
        low_row.tobytes() + high_row[:length].tobytes()
        for low_row, high_row, length in zip(low, high, lengths, strict=True)
    ]


def rice_decode(packed: np.ndarray, count: int, parameter: int) -> tuple[np.ndarray, int]:
    """Decode `count` numbers from the start of a (bytes,) uint8 array.

    Returns:
        The numbers as int64 and how many bytes they took.

    Raises:
        ValueError: if the bytes end before the last number.
    """
    low_bytes = packed_bytes(count, parameter)
    ends = np.flatnonzero(np.unpackbits(packed[low_bytes:]))[:count]
    if len(ends) < count:
        raise ValueError("it ends within the Golomb-Rice coded numbers")
    quotients = np.diff(ends, prepend=-1) - 1
    numbers = (quotients << parameter) | unpack(packed, count, parameter)
    return numbers, low_bytes + int(ends[-1]) // 8 + 1
