"""Numbers as bits: packed, Golomb-Rice or range coded, and positions of kept elements.

The most significant bit comes first. Golomb-Rice codes non-negative integers whose sum both sides
know: a number is split into a quotient, sent in unary, and `parameter` low bits, sent plainly. The
low bits of all numbers come first and the quotients after them, so that both are read by array
operations.

The model of the codes is their histogram, that of the positions the number kept, which the header
holds already. Both are coded by the range coder of `constriction`.
"""

import math
from dataclasses import dataclass

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
    if bits in (1, 2, 4):
        return _pack_evenly(codes, bits)
    if bits in (3, 5, 6, 7):
        return _pack_by_eights(codes, bits)
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


def _pack_evenly(codes: np.ndarray, bits: int) -> np.ndarray:
    """Pack codes that share bytes evenly: several times faster than going bit by bit.

    The codes that go into one byte are one word, a byte each; the first of them is its lowest.
    """
    messages, count = codes.shape
    each = 8 // bits
    padded = np.zeros((messages, packed_bytes(count, bits) * each), dtype=np.uint8)
    padded[:, :count] = codes
    words = padded.view(f"<u{each}")
    packed = words << np.array(8 - bits, words.dtype)
    for position in range(1, each):
        packed |= words >> np.array(8 * position - 8 + bits * (position + 1), words.dtype)
    return packed.astype(np.uint8)


def _pack_by_eights(codes: np.ndarray, bits: int) -> np.ndarray:
    """Pack codes of less than a byte: eight of them, in the low end of a word, are `bits` bytes."""
    messages, count = codes.shape
    words = np.zeros((messages, (count + 7) // 8), dtype=np.uint64)
    for position in range(8):
        part = codes[:, position::8].astype(np.uint64)
        words[:, : part.shape[1]] |= part << np.uint64(bits * (7 - position))
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
