"""The codec: grids, kept elements, messages, sizes."""

import math
import struct
import tracemalloc
from zlib import crc32

import numpy as np
import pytest
from fbftl.messages.codec import (
    Compression,
    CorruptMessage,
    compress,
    decode,
    encode,
    encode_each,
    kept_count,
    message_size,
    quantise,
    sparsify,
)
from fbftl.messages.codec.bitpack import pack, packed_bytes, unpack
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.codec.positions import decode_positions, encode_positions
from fbftl.messages.codec.quantiser import RANGE_BYTES
from fbftl.messages.codec.rice import rice_bytes, rice_decode, rice_encode, rice_parameter
from fbftl.messages.codec.sparsifier import kept_positions
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

GRID_BITS = range(1, 17)
finite = st.floats(width=32, allow_nan=False, allow_infinity=False)
# Few distinct values make ties, constants and zeros of either sign frequent.
awkward = st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e-45, -1e-45, 3.4e38, -3.4e38, 0.5])
matrices = arrays(np.float32, array_shapes(min_dims=2, max_dims=2, max_side=12), elements=finite)
awkward_matrices = arrays(
    np.float32, array_shapes(min_dims=2, max_dims=2, max_side=12), elements=awkward
)
any_matrix = matrices | awkward_matrices
grid_bits = st.integers(1, 16)
any_bits = grid_bits | st.just(32)
keeps = st.floats(0.001, 1) | st.sampled_from([1.0, 0.1, 0.01])


def relu_features(rows: int, width: int, seed: int = 0) -> np.ndarray:
    normal = np.random.default_rng(seed).standard_normal((rows, width))
    return np.maximum(normal, 0).astype(np.float32)


# --- quantiser --------------------------------------------------------------------------------


@given(any_matrix, grid_bits)
def test_quantiser_error_is_at_most_half_a_step(values, bits):
    exact = values.astype(np.float64)
    step = np.ptp(exact, axis=1, keepdims=True) / (2**bits - 1)
    decoded = quantise(values, bits)
    float_rounding = np.ldexp(0.5, np.maximum(np.frexp(decoded)[1] - 24, -149))
    assert (np.abs(exact - decoded) <= step / 2 * (1 + 1e-12) + float_rounding).all()


@given(any_matrix, grid_bits)
def test_quantising_twice_changes_nothing(values, bits):
    once = quantise(values, bits)
    np.testing.assert_array_equal(quantise(once, bits), once)


@given(any_matrix, grid_bits)
def test_range_ends_are_exact(values, bits):
    decoded = quantise(values, bits)
    np.testing.assert_array_equal(decoded.min(axis=1), values.min(axis=1))
    np.testing.assert_array_equal(decoded.max(axis=1), values.max(axis=1))


@pytest.mark.parametrize("bits", GRID_BITS)
def test_all_levels_are_used_and_evenly_spaced(bits):
    levels = 2**bits
    values = np.linspace(-3, 5, 4 * levels + 1, dtype=np.float32)
    found = np.unique(quantise(values, bits))
    assert len(found) == levels
    np.testing.assert_allclose(found, np.linspace(-3, 5, levels), atol=1e-6)


@given(any_matrix)
def test_32_bits_change_nothing(values):
    assert quantise(values, 32).tobytes() == values.tobytes()


@given(finite, st.integers(1, 9), grid_bits)
def test_constant_vectors_are_exact(value, width, bits):
    values = np.full(width, value, dtype=np.float32)
    np.testing.assert_array_equal(quantise(values, bits), values)


# --- sparsifier -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("width", "keep", "count"),
    [(100, 0.07, 7), (1000, 0.001, 1), (64, 0.001, 1), (4096, 0.1, 410), (3, 1.0, 3), (10, 0.1, 1)],
)
def test_kept_count_takes_the_ratio_as_written(width, keep, count):
    assert kept_count(width, keep) == count


@given(any_matrix, keeps)
def test_sparsifier_keeps_the_largest_and_first(values, keep):
    width = values.shape[1]
    count = kept_count(width, keep)
    for row, sparse in zip(values, sparsify(values, keep), strict=True):
        order = sorted(range(width), key=lambda i: (-abs(row[i]), i))
        expected = np.zeros_like(row)
        expected[order[:count]] = row[order[:count]]
        np.testing.assert_array_equal(sparse, expected)


@pytest.mark.parametrize("count", [1, 5, 41, 512, 513, 4000])
@pytest.mark.parametrize("period", [1, 2, 16, 17, 4097])
@pytest.mark.parametrize("reverse", [False, True])
def test_wide_vectors_keep_the_same_elements(count, period, reverse):
    """Periodic vectors make a sample with a fixed stride as misleading as it can be."""
    width = 4097
    cycle = np.random.default_rng(count).standard_normal(period)
    values = np.resize(np.sort(np.abs(cycle)), (2, width)).astype(np.float32)
    values[1] = values[1, ::-1] if reverse else -values[1]
    expected = np.sort(np.argsort(-np.abs(values), axis=1, kind="stable")[:, :count], axis=1)
    np.testing.assert_array_equal(kept_positions(values, count), expected)


@given(any_matrix, keeps)
def test_message_states_that_exactly_the_ceiling_was_kept(values, keep):
    width = values.shape[1]
    message = decode(encode(values, compression=Compression(keep=keep)))
    assert message.kept == kept_count(width, keep) == math.ceil(keep * width - 1e-12)


# --- bit packing and Golomb-Rice --------------------------------------------------------------


@given(st.integers(0, 32), st.integers(1, 3), st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_packed_codes_come_back(bits, messages, count, seed):
    codes = np.random.default_rng(seed).integers(0, 2**bits, (messages, count))
    packed = pack(codes, bits)
    assert packed.shape == (messages, packed_bytes(count, bits))
    for row, expected in zip(packed, codes, strict=True):
        np.testing.assert_array_equal(unpack(row, count, bits), expected)


def test_packing_is_most_significant_bit_first():
    assert pack(np.array([[0b101, 0b011, 0b110]]), 3).tobytes() == bytes([0b10101111, 0b00000000])


@given(arrays(np.int64, (2, 7), elements=st.integers(0, 300)), st.integers(0, 9))
def test_rice_codes_come_back(numbers, parameter):
    encoded = rice_encode(numbers, parameter)
    assert [len(text) for text in encoded] == rice_bytes(numbers, parameter).tolist()
    for text, expected in zip(encoded, numbers, strict=True):
        followed = np.frombuffer(text + b"\xff\x00", np.uint8)
        decoded, length = rice_decode(followed, 7, parameter)
        np.testing.assert_array_equal(decoded, expected)
        assert length == len(text)


@pytest.mark.parametrize("mean", [0.1, 0.9, 1.6, 9, 99, 999])
def test_rice_parameter_is_within_one_percent_of_the_best(mean):
    numbers = np.random.default_rng(0).geometric(1 / (1 + mean), (1, 20_000)) - 1
    chosen = rice_bytes(numbers, rice_parameter(int(numbers.sum()), 20_000))[0]
    best = min(rice_bytes(numbers, parameter)[0] for parameter in range(14))
    assert chosen <= 1.01 * best


@given(st.integers(1, 3), st.integers(1, 40), st.data())
def test_positions_come_back_and_are_never_longer_than_a_bitmap(rows, width, data):
    count = data.draw(st.integers(1, width))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    positions = np.sort(rng.permuted(np.tile(np.arange(width), (rows, 1)), axis=1)[:, :count])
    [(layout, text)] = encode_positions(positions[None], width)
    assert len(text) <= packed_bytes(rows * width, 1)
    packed = np.frombuffer(text, np.uint8)
    decoded, length = decode_positions(layout, packed, rows, count, width)
    np.testing.assert_array_equal(decoded, positions)
    assert length == len(text)


# --- messages ---------------------------------------------------------------------------------


@settings(max_examples=200)
@given(any_matrix, any_bits, keeps, st.integers(1, 300), st.data())
def test_decoding_gives_quantised_sparse_values_and_labels(values, bits, keep, classes, data):
    rows, width = values.shape
    chosen = st.lists(st.integers(0, classes - 1), min_size=rows, max_size=rows)
    labels = np.array(data.draw(chosen))
    compression = Compression(bits, keep)
    expected = compress(values, compression, classes)
    for coding in ("packed", "entropy"):
        message = decode(encode(values, labels, classes, compression, coding))
        np.testing.assert_array_equal(message.values, expected.values)
        np.testing.assert_array_equal(message.labels, labels)
        assert message.bits == bits
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


@given(any_matrix, any_bits, keeps)
def test_sparse_values_survive_a_second_trip(values, bits, keep):
    # Not so the bytes: a kept element may decode to 0, and then another zero is kept for it.
    compression = Compression(bits, keep)
    once = decode(encode(values, compression=compression)).values
    twice = decode(encode(once, compression=compression)).values
    np.testing.assert_array_equal(twice, once)


def test_range_is_that_of_the_kept_values():
    values = np.array([[10.0, 0.1, 0.2, 8.0, 9.0]], dtype=np.float32)
    sent = decode(encode(values, compression=Compression(1, 0.6))).values
    np.testing.assert_array_equal(sent, [[10, 0, 0, 8, 8]])


def test_plain_message_is_float32_and_header():
    values = relu_features(1, 100)
    message = encode(values)
    assert HEADER_BYTES == 22
    assert message[HEADER_BYTES:] == values.astype("<f4").tobytes()


@pytest.mark.parametrize("bits", GRID_BITS)
def test_packed_length_is_nominal_plus_header_and_ranges(bits):
    size = message_size(relu_features(4, 2048), compression=Compression(bits))
    fixed = 8 * (HEADER_BYTES + 4 * RANGE_BYTES)
    assert size.nominal == 4 * 2048 * bits
    assert size.nominal <= size.packed - fixed <= 1.01 * size.nominal


def test_sparse_message_beats_bitmap_and_plain_indices():
    size = message_size(relu_features(8, 4096), compression=Compression(8, 0.01))
    positions = size.packed - 8 * (HEADER_BYTES + 8 * RANGE_BYTES) - 8 * 41 * 8
    assert positions < 8 * 41 * 12  # an index into 4096 takes 12 bits
    assert positions < 8 * 4096


@pytest.mark.parametrize("bits", [1, 2, 3, 4, 6, 8, 10, 12, 16, 32])
@pytest.mark.parametrize("keep", [1.0, 0.5, 0.1, 0.01, 0.001])
def test_entropy_coded_length_is_near_the_limit(bits, keep):
    compression = Compression(bits, keep)
    row_bits = compress(relu_features(1, 4096), compression).bits[0] - 8 * HEADER_BYTES
    rows = math.ceil(2**19 / row_bits * 1.15)
    values = relu_features(rows, 4096)
    size = message_size(values, np.arange(rows) % 10, 10, compression)
    assert size.packed >= 2**19
    reachable = 1.03 * size.limit + size.model + 8 * HEADER_BYTES
    assert size.entropy_coded <= min(reachable, size.packed)
    assert size.entropy_coded >= size.limit


def test_limit_of_a_known_message():
    values = np.array([[1, 2, 2, 2], [1, 2, 2, 2]], dtype=np.float32)
    size = message_size(values, np.array([0, 1]), 3, Compression(1))
    codes = 2 * np.log2(4) + 6 * np.log2(4 / 3)
    assert size.limit == pytest.approx(codes + 2 * 2 + 2 * 64)
    sparse = message_size(values, compression=Compression(32, 0.5))
    assert sparse.limit == pytest.approx(2 * np.log2(6) + 4 * 32)


# --- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e39])
@pytest.mark.parametrize("function", [encode, lambda v: compress(v, Compression()), message_size])
def test_values_that_are_not_finite_are_refused(function, bad):
    with pytest.raises(ValueError, match="NaN or infinite"):
        function(np.array([[1.0, bad]]))


@pytest.mark.parametrize("shape", [(0, 4), (4, 0)])
def test_empty_messages_are_refused(shape):
    with pytest.raises(ValueError, match="nothing to encode"):
        encode(np.zeros(shape))


@pytest.mark.parametrize("bits", [0, 17, 31, 33, -1])
def test_bits_out_of_range_are_refused(bits):
    with pytest.raises(ValueError, match="bits must be"):
        Compression(bits)


@pytest.mark.parametrize("keep", [0, -0.1, 1.1, math.nan])
def test_ratios_out_of_range_are_refused(keep):
    with pytest.raises(ValueError, match="keep must lie"):
        Compression(keep=keep)


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


# --- damaged messages -------------------------------------------------------------------------

_LABELS = np.arange(5)
INTACT = [
    encode(relu_features(5, 40), _LABELS, 10, Compression(bits, keep), coding)
    for bits in (1, 3, 8, 16, 32)
    for keep in (1.0, 0.5, 0.05)
    for coding in ("packed", "entropy")
] + [encode(np.tile(relu_features(1, 400), (5, 1)), _LABELS, 10, Compression(4, 0.3), "entropy")]


def reseal(message: bytes) -> bytes:
    """Return the message with the checksum that its other bytes ask for."""
    start, body = message[: HEADER_BYTES - 4], message[HEADER_BYTES:]
    return start + struct.pack("<I", crc32(body, crc32(start))) + body


def test_both_codings_are_among_the_damaged():
    assert {message[4] for message in INTACT} == {0, 1, 2, 3}


@given(st.binary(max_size=200))
def test_random_bytes_are_corrupt(junk):
    with pytest.raises(CorruptMessage):
        decode(junk)


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


@settings(max_examples=1000)
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


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (lambda m: m[:10], "10 bytes, a header has 22"),
        (lambda m: b"xx" + m[2:], "does not start like"),
        (lambda m: m[:-1] + b"\x99", "checksum"),
        (lambda m: reseal(m[:-30]), "ends"),
        (lambda m: reseal(m + b"\0"), "bytes after its end"),
        (lambda m: reseal(m[:14] + b"\xff" + m[15:]), "claims more than|contradicts itself"),
    ],
)
def test_corruption_is_named(damage, text):
    message = encode(relu_features(2, 64), compression=Compression(8, 0.5))
    with pytest.raises(CorruptMessage, match=text):
        decode(damage(message), max_values=1000)


def test_rows_without_content_take_no_memory():
    message = bytearray(encode(np.ones((1, 1)), np.array([0]), 1))
    struct.pack_into("<I", message, 6, 2**28)
    tracemalloc.start()
    with pytest.raises(CorruptMessage, match="ends too early"):
        decode(reseal(bytes(message)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


def test_a_message_that_claims_too_much_is_refused():
    message = bytearray(encode(np.ones((1, 8)), compression=Compression(8, 0.5)))
    struct.pack_into("<I", message, 10, 2**32 - 1)
    with pytest.raises(CorruptMessage, match="claims more than"):
        decode(reseal(bytes(message)))
