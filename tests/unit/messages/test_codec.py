"""What the codec is made of: grids, kept elements, packed bits, Golomb-Rice codes."""

import numpy as np
import pytest
from fbftl.messages.codec import Compression, compress, kept_count
from fbftl.messages.codec.bitpack import (
    decode_positions,
    encode_positions,
    pack,
    packed_bytes,
    rice_bytes,
    rice_parameter,
)
from fbftl.messages.codec.compression import kept_positions
from hypothesis import given
from hypothesis import strategies as st
from unit.messages.codec_toys import any_matrix, grid_bits, keeps

# --- quantiser --------------------------------------------------------------------------------


@given(any_matrix, grid_bits)
def test_quantiser_error_is_at_most_half_a_step(values, bits):
    exact = values.astype(np.float64)
    step = np.ptp(exact, axis=1, keepdims=True) / (2**bits - 1)
    decoded = compress(values, Compression(bits)).values
    float_rounding = np.ldexp(0.5, np.maximum(np.frexp(decoded)[1] - 24, -149))
    assert (np.abs(exact - decoded) <= step / 2 * (1 + 1e-12) + float_rounding).all()


@given(any_matrix, grid_bits)
def test_range_ends_are_exact(values, bits):
    decoded = compress(values, Compression(bits)).values
    np.testing.assert_array_equal(decoded.min(axis=1), values.min(axis=1))
    np.testing.assert_array_equal(decoded.max(axis=1), values.max(axis=1))


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
    for row, sparse in zip(values, compress(values, Compression(keep=keep)).values, strict=True):
        order = sorted(range(width), key=lambda i: (-abs(row[i]), i))
        expected = np.zeros_like(row)
        expected[order[:count]] = row[order[:count]]
        np.testing.assert_array_equal(sparse, expected)


@pytest.mark.parametrize("count", [1, 41, 512, 513, 4000])
@pytest.mark.parametrize("period", [1, 16, 17, 4097])
@pytest.mark.parametrize("reverse", [False, True])
def test_wide_vectors_keep_the_same_elements(count, period, reverse):
    """Periodic vectors make a sample with a fixed stride as misleading as it can be."""
    width = 4097
    cycle = np.random.default_rng(count).standard_normal(period)
    values = np.resize(np.sort(np.abs(cycle)), (2, width)).astype(np.float32)
    values[1] = values[1, ::-1] if reverse else -values[1]
    expected = np.sort(np.argsort(-np.abs(values), axis=1, kind="stable")[:, :count], axis=1)
    np.testing.assert_array_equal(kept_positions(values, count), expected)


# --- bit packing and Golomb-Rice --------------------------------------------------------------


def test_packing_is_most_significant_bit_first():
    assert pack(np.array([[0b101, 0b011, 0b110]]), 3).tobytes() == bytes([0b10101111, 0b00000000])


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
