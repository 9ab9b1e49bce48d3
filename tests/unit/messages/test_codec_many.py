"""Messages made and read together: byte for byte what each gives alone."""

import numpy as np
import pytest
from fbftl.messages.codec import (
    Compression,
    CorruptMessage,
    decode,
    encode,
    encode_many,
)
from fbftl.messages.codec.many import decode_many
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from unit.messages.codec_toys import any_bits, finite, keeps, relu_features

several = arrays(np.float32, array_shapes(min_dims=3, max_dims=3, max_side=6), elements=finite)


def uploads(clients: int = 5, bits: int = 4) -> list[bytes]:
    """Return messages of some clients with 8 samples of 40 numbers."""
    values = relu_features(8 * clients, 40).reshape(clients, 8, 40)
    labels = np.arange(8 * clients).reshape(clients, 8) % 10
    return encode_many(values, labels, 10, Compression(bits))


@given(several, any_bits, keeps, st.booleans())
def test_messages_are_those_of_each_client_alone(values, bits, keep, labelled):
    compression, classes = Compression(bits, keep), 7 if labelled else None
    labels = np.arange(values[..., 0].size).reshape(values.shape[:2]) % 7 if labelled else None
    messages = encode_many(values, labels, classes, compression)
    of_each = [None] * len(values) if labels is None else labels
    assert messages == [
        encode(rows, of_client, classes, compression)
        for rows, of_client in zip(values, of_each, strict=True)
    ]
    read, alone = decode_many(messages), [decode(message) for message in messages]
    assert read.values.tobytes() == b"".join(message.values.tobytes() for message in alone)
    assert read.values.shape == values.shape
    assert (read.labels is None) == (labels is None)
    if labels is not None:
        np.testing.assert_array_equal(read.labels, [message.labels for message in alone])


@pytest.mark.parametrize("bits", [4, 32])
@pytest.mark.parametrize("place", [0, 4, 6, 18, 25, 90, 150])
def test_a_damaged_message_among_right_ones_is_refused(bits, place):
    messages = uploads(bits=bits)
    damaged = bytearray(messages[3])
    damaged[place] ^= 1
    messages[3] = bytes(damaged)
    with pytest.raises(CorruptMessage):
        decode_many(messages)


def test_a_message_of_another_shape_is_refused_though_it_has_as_many_bytes():
    for other in (uploads(1, bits=8)[0], encode(np.ones((8, 40), np.float32))):
        with pytest.raises(CorruptMessage, match="header"):
            decode_many([*uploads(), other])
    wide, tall = (np.ones(shape, np.float32) for shape in ((2, 8), (4, 4)))
    messages = [encode(values, compression=Compression(32)) for values in (wide, tall)]
    assert len(messages[0]) == len(messages[1])
    with pytest.raises(CorruptMessage, match="message 1 has another header"):
        decode_many(messages)
