"""Codes of q bits each, packed into bytes without gaps, most significant bit first."""

import numpy as np


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
