"""Messages of dialogues: what is sent can be read again, and damage is told."""

import numpy as np
import pytest
from fbftl.messages.codec import CorruptMessage
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.dialogues import decode_upload, encode_upload, id_bits
from hypothesis import given
from hypothesis import strategies as st


@given(st.integers(1, 20), st.integers(1, 20), st.integers(2, 40_000), st.integers(0, 999))
def test_an_upload_survives_the_way(tokens, labels, vocabulary, seed):
    random = np.random.default_rng(seed)
    features = random.normal(size=(tokens, 7)).astype(np.float32)
    ids = random.integers(0, vocabulary, labels)
    message = encode_upload(features, ids, vocabulary)
    values, read = decode_upload(message)
    np.testing.assert_array_equal(values, features)
    np.testing.assert_array_equal(read, ids)
    packed = -(-labels * id_bits(vocabulary) // 8)
    assert len(message) == 9 + packed + HEADER_BYTES + 4 * features.size


@pytest.mark.parametrize(("vocabulary", "bits"), [(2, 1), (512, 9), (513, 10), (32_128, 15)])
def test_an_id_takes_the_bits_of_the_largest_one(vocabulary, bits):
    assert id_bits(vocabulary) == bits


@given(st.data())
def test_a_changed_upload_is_refused(data):
    message = encode_upload(np.ones((2, 3), np.float32), np.array([1, 300]), 320)
    position = data.draw(st.integers(0, len(message) - 1))
    changed = bytearray(message)
    changed[position] ^= data.draw(st.integers(1, 255))
    for bad in (bytes(changed), message[:position]):
        with pytest.raises(CorruptMessage):
            decode_upload(bad)
