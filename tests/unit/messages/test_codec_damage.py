"""Messages of the codec that were damaged, cut or forged are refused."""

import struct
import tracemalloc
from zlib import crc32

import numpy as np
import pytest
from fbftl.messages.codec import Compression, CorruptMessage, decode, encode
from fbftl.messages.codec.header import HEADER_BYTES
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.messages.codec_toys import relu_features

_LABELS = np.arange(5)
INTACT = [
    encode(relu_features(5, 40), _LABELS, 10, Compression(bits, keep))
    for bits in (1, 3, 8, 16, 32)
    for keep in (1.0, 0.5, 0.05)
]


def reseal(message: bytes) -> bytes:
    """Return the message with the checksum that its other bytes ask for."""
    start, body = message[: HEADER_BYTES - 4], message[HEADER_BYTES:]
    return start + struct.pack("<I", crc32(body, crc32(start))) + body


@given(st.sampled_from(INTACT), st.data())
def test_a_flipped_bit_is_always_found(message, data):
    damaged = bytearray(message)
    damaged[data.draw(st.integers(0, len(message) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(CorruptMessage):
        decode(bytes(damaged))


@given(st.sampled_from(INTACT), st.data())
def test_a_truncated_message_is_always_found(message, data):
    with pytest.raises(CorruptMessage):
        decode(message[: data.draw(st.integers(0, len(message) - 1))])


@settings(max_examples=300)
@given(st.sampled_from(INTACT), st.data())
def test_a_forged_message_is_decoded_or_corrupt(message, data):
    """With a valid checksum every check behind it has to hold on its own."""
    forged = bytearray(message)
    for _ in range(data.draw(st.integers(1, 3))):
        forged[data.draw(st.integers(0, len(forged) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(HEADER_BYTES, len(forged)))
    extra = data.draw(st.binary(max_size=9))
    forged = forged if data.draw(st.booleans()) else forged[:cut] + extra
    try:
        received = decode(reseal(bytes(forged)), max_values=10**6)
    except CorruptMessage:
        return
    assert np.isfinite(received.values).all()


def test_bytes_behind_a_message_are_found():
    message = encode(relu_features(2, 64), compression=Compression(8, 0.5))
    with pytest.raises(CorruptMessage, match="bytes after its end"):
        decode(reseal(message + b"\0"))


def test_rows_without_content_take_no_memory():
    message = bytearray(encode(np.ones((1, 1)), np.array([0]), 1))
    struct.pack_into("<I", message, 6, 2**28)
    tracemalloc.start()
    with pytest.raises(CorruptMessage, match="ends too early"):
        decode(reseal(bytes(message)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20
