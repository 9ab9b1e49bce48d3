"""Numbers as bits: packed, Golomb-Rice or range coded, and positions of kept elements.

The most significant bit comes first. Golomb-Rice codes non-negative integers whose sum both sides
know: a number is split into a quotient, sent in unary, and `parameter` low bits, sent plainly. The
low bits of all numbers come first and the quotients after them, so that both are read by array
operations.

No message is range-coded: what that would save is measured with the range coder of `constriction`.
The model of the codes is their histogram, that of the positions the number kept.
"""

import math

import constriction
import numpy as np

from fbftl.messages.codec.header import Layout


def packed_bytes(count: int, bits: int) -> int:
    """Return the bytes that `count` codes of `bits` bits take."""
    return (count * bits + 7) // 8


def pack(codes: np.ndarray, bits: int) -> np.ndarray:
    """Pack codes along the last axis.

    Args:
        codes: (messages, count) unsigned integers below 2^bits.
        bits: 0 to 64.

    Returns:
        (messages, packed_bytes(count, bits)) uint8; unused bits at the end are zero.
    """
    messages, count = codes.shape
    if bits in (8, 16, 32):
        return codes.astype(f">u{bits // 8}").view(np.uint8).reshape(messages, -1)
    if 0 < bits < 8:
        return _pack_small(codes, bits)
    word = _word_bytes(bits)
    octets = codes.astype(f">u{word}").view(np.uint8).reshape(messages, count, word)
    return np.packbits(
        np.unpackbits(octets, axis=2)[:, :, 8 * word - bits :].reshape(messages, -1), axis=1
    )


def unpack(packed: np.ndarray, count: int, bits: int) -> np.ndarray:
    """Read `count` codes of `bits` bits (0 to 32) from a (bytes,) uint8 array as int64."""
    if bits in (8, 16, 32):
        return packed[: count * bits // 8].view(f">u{bits // 8}").astype(np.int64)
    word = _word_bytes(bits)
    spread = np.zeros((count, 8 * word), dtype=np.uint8)
    spread[:, 8 * word - bits :] = np.unpackbits(packed, count=count * bits).reshape(count, bits)
    return np.packbits(spread, axis=1).reshape(-1).view(f">u{word}").astype(np.int64)


def _pack_small(codes: np.ndarray, bits: int) -> np.ndarray:
    """Pack codes of less than a byte, several times faster than going bit by bit.

    The codes that share bytes evenly are one word: those of a byte, or eight in `bits` bytes.
    """
    messages, count = codes.shape
    evenly = 8 % bits == 0
    each, kind = 8 // bits if evenly else 8, np.dtype(np.uint8 if evenly else np.uint64)
    words = np.zeros((messages, -(-count // each)), dtype=kind)
    for position in range(each):
        part = codes[:, position::each].astype(kind)
        words[:, : part.shape[1]] |= part << kind.type(bits * (each - 1 - position))
    if evenly:
        return words
    octets = words.astype(">u8").view(np.uint8).reshape(messages, -1, 8)[:, :, 8 - bits :]
    return octets.reshape(messages, -1)[:, : packed_bytes(count, bits)]


def _word_bytes(bits: int) -> int:
    return next(word for word in (1, 2, 4, 8) if bits <= 8 * word)


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
        if (np.count_nonzero(kept, axis=1) != count).any():
            raise ValueError("the number of kept positions differs from the header's")
        return np.nonzero(kept)[1].reshape(-1, count), length
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


def range_coded_bytes(
    positions: np.ndarray, width: int, codes: np.ndarray, counts: np.ndarray
) -> int:
    """Return the bytes of the words in which a range coder writes positions and codes.

    Args:
        positions: (rows, count) of the kept elements; nothing is written if all are kept.
        width: elements of a row.
        codes: of the quantiser, of any shape.
        counts: (levels,) their histogram; without levels no code is written.
    """
    coder = constriction.stream.queue.RangeEncoder()
    count = positions.shape[1]
    if count < width:
        kept = bitmap_of(positions, width).reshape(-1)
        coder.encode(kept.astype(np.int32), _model(np.array([width - count, count])))
    if len(counts):
        coder.encode(codes.reshape(-1).astype(np.int32), _model(counts))
    return coder.get_compressed().nbytes


def _model(counts: np.ndarray) -> constriction.stream.model.Categorical:
    return constriction.stream.model.Categorical(counts.astype(np.float64), perfect=False)
