"""Messages of the codec: what is decoded, how long they are, what cannot be encoded."""

import math

import numpy as np
import pytest
from fbftl.messages.codec import Compression, compress, decode, encode, encode_each
from fbftl.messages.codec.compression import RANGE_BYTES
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.encoded import MessageSample, message_sample
from hypothesis import given, settings
from hypothesis import strategies as st
from unit.messages.codec_toys import GRID_BITS, any_bits, any_matrix, keeps, relu_features

# --- messages ---------------------------------------------------------------------------------


@settings(max_examples=200)
@given(any_matrix, any_bits, keeps, st.integers(1, 300), st.data())
def test_decoding_gives_quantised_sparse_values_and_labels(values, bits, keep, classes, data):
    rows, width = values.shape
    chosen = st.lists(st.integers(0, classes - 1), min_size=rows, max_size=rows)
    labels = np.array(data.draw(chosen))
    compression = Compression(bits, keep)
    expected = compress(values, compression, classes)
    message = decode(encode(values, labels, classes, compression))
    np.testing.assert_array_equal(message.values, expected.values)
    np.testing.assert_array_equal(message.labels, labels)
    assert message.values.shape == (rows, width)


@settings(max_examples=200)
@given(any_matrix, any_bits, keeps, st.booleans())
def test_batch_equals_row_by_row_in_value_and_length(values, bits, keep, labelled):
    compression = Compression(bits, keep)
    labels = np.arange(len(values)) if labelled else None
    classes = len(values) if labelled else None
    compressed = compress(values, compression, classes)
    together, read = encode_each(values, labels, classes, compression)
    np.testing.assert_array_equal(read, compressed.values)
    for index, row in enumerate(values):
        label = labels[index : index + 1] if labelled else None
        alone = encode(row, label, classes, compression)
        assert alone == together[index]
        assert 8 * len(alone) == compressed.bits[index]
        np.testing.assert_array_equal(decode(alone).values[0], compressed.values[index])


@given(any_matrix, any_bits)
def test_encoding_what_was_decoded_gives_the_same_message(values, bits):
    message = encode(values, compression=Compression(bits))
    assert encode(decode(message).values, compression=Compression(bits)) == message


def test_range_is_that_of_the_kept_values():
    values = np.array([[10.0, 0.1, 0.2, 8.0, 9.0]], dtype=np.float32)
    sent = decode(encode(values, compression=Compression(1, 0.6))).values
    np.testing.assert_array_equal(sent, [[10, 0, 0, 8, 8]])


def size_of(values, compression, labels=None, classes=None) -> MessageSample:
    """Return the sizes of a message that is read without error."""
    return message_sample(values, values, compression, labels, classes)


def test_plain_message_is_float32_and_header():
    values = relu_features(1, 100)
    message = encode(values)
    assert HEADER_BYTES == 22
    assert message[HEADER_BYTES:] == values.astype("<f4").tobytes()


@pytest.mark.parametrize("bits", GRID_BITS)
def test_packed_length_is_nominal_plus_header_and_ranges(bits):
    size = size_of(relu_features(4, 2048), Compression(bits))
    fixed = 8 * (HEADER_BYTES + 4 * RANGE_BYTES)
    assert size.nominal_bits == 4 * 2048 * bits
    assert size.nominal_bits <= size.packed_bits - fixed <= 1.01 * size.nominal_bits


@pytest.mark.parametrize("bits", [1, 8, 32])
@pytest.mark.parametrize("keep", [1.0, 0.01])
def test_entropy_coded_length_is_near_the_limit(bits, keep):
    compression = Compression(bits, keep)
    row_bits = compress(relu_features(1, 4096), compression).bits[0] - 8 * HEADER_BYTES
    rows = math.ceil(2**19 / row_bits * 1.15)
    values = relu_features(rows, 4096)
    size = size_of(values, compression, np.arange(rows) % 10, 10)
    assert size.packed_bits >= 2**19
    reachable = 1.03 * size.limit_bits + size.model_bits + 8 * HEADER_BYTES
    assert size.entropy_coded_bits <= min(reachable, size.packed_bits)
    assert size.entropy_coded_bits >= size.limit_bits


def test_limit_of_a_known_message():
    values = np.array([[1, 2, 2, 2], [1, 2, 2, 2]], dtype=np.float32)
    size = size_of(values, Compression(1), np.array([0, 1]), 3)
    codes = 2 * np.log2(4) + 6 * np.log2(4 / 3)
    assert size.limit_bits == pytest.approx(codes + 2 * 2 + 2 * 64)
    sparse = size_of(values, Compression(32, 0.5))
    assert sparse.limit_bits == pytest.approx(2 * np.log2(6) + 4 * 32)


# --- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e39])
@pytest.mark.parametrize(
    "function", [encode, *(lambda v, of=of: of(v, Compression()) for of in (compress, size_of))]
)
def test_values_that_are_not_finite_are_refused(function, bad):
    with pytest.raises(ValueError, match="NaN or infinite"):
        function(np.array([[1.0, bad]]))


@pytest.mark.parametrize("shape", [(0, 4), (4, 0)])
def test_empty_messages_are_refused(shape):
    with pytest.raises(ValueError, match="nothing to encode"):
        encode(np.zeros(shape))


@pytest.mark.parametrize(
    ("wrong", "text"),
    [({"bits": bits}, "bits must be") for bits in (0, 17, 31, 33)]
    + [({"keep": keep}, "keep must lie") for keep in (0, 1.1, math.nan)],
)
def test_compression_out_of_range_is_refused(wrong, text):
    with pytest.raises(ValueError, match=text):
        Compression(**wrong)


@pytest.mark.parametrize(
    ("labels", "classes", "text"),
    [
        ([0, 1], None, "number of classes"),
        ([0, 1], 0, "number of classes"),
        ([0, 3], 3, "must lie in"),
        ([0, -1], 3, "must lie in"),
        ([0], 3, "one integer per row"),
        ([0.0, 1.0], 3, "one integer per row"),
    ],
)
def test_bad_labels_are_refused(labels, classes, text):
    with pytest.raises(ValueError, match=text):
        encode(np.ones((2, 3)), np.array(labels), classes)
