"""Masked sums: exact, uniform to the server, whole when clients drop out, never of one."""

import numpy as np
import pytest
from fbftl.ground.errors import UserError
from fbftl.ground.ring import Ring, bits_for, ring_for
from fbftl.privacy.masking import (
    Dealer,
    from_ring,
    mask,
    masked,
    require_room,
    to_ring,
    unmasked_sum,
)
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

SMALL = Ring(36)


@given(
    st.floats(1e-3, 1e6),
    st.integers(2, 40),
    st.integers(0, 24),
    st.integers(0, 2**31),
    st.booleans(),
)
def test_the_sum_in_the_smallest_ring_is_the_plain_fixed_point_sum(
    clip, clients, fraction_bits, seed, at_the_bound
):
    """Whatever clip, scale and number of clients, all at the bound with equal sign among them."""
    ring, rng = ring_for(clip * clients, clients, fraction_bits), np.random.default_rng(seed)
    values = rng.uniform(-clip, clip, size=(clients, 4))
    if at_the_bound:
        values[:, 0], values[:, 1] = clip, -clip
    dealer = Dealer.of_study(seed)
    sent = [masked(row, dealer.key(u), 5, ring=ring) for u, row in enumerate(values)]
    assert all(int(message.max()) < 2**ring.bits for message in sent)
    unmasked = unmasked_sum(sent, dealer.sum_of_masks(range(clients), 5, 4, ring), ring)
    expected = np.rint(values * 2.0**fraction_bits).sum(axis=0) / 2.0**fraction_bits
    assert np.array_equal(unmasked, expected)


def test_one_step_beyond_the_ring_is_refused_with_the_bits_that_it_needs():
    require_room(SMALL.last, SMALL, 3)
    with pytest.raises(UserError, match=r"ring of 36 bits, which ends at ±2048: .* need 37;"):
        require_room(SMALL.last + 1, SMALL, 3)
    largest = np.array([SMALL.last / 2.0**24])
    assert from_ring(to_ring(-largest, SMALL), SMALL) == -largest
    with pytest.raises(UserError, match="would need 37"):
        to_ring(largest + 2.0**-24, SMALL)


@given(st.integers(1, 2**40), st.integers(1, 2**20), st.integers(0, 30))
def test_bits_are_the_least_that_hold_bound_and_rounding(largest, members, fraction_bits):
    bits = bits_for(largest, members, fraction_bits)
    steps = (largest * 2 ** (fraction_bits + 1) + members) // 2
    assert 2 ** (bits - 2) <= steps < 2 ** (bits - 1)


def test_without_a_bound_numbers_have_a_whole_word_and_it_is_said():
    ring = ring_for(None, 5, 20)
    assert (ring.bits, ring.fraction_bits) == (64, 20)
    assert ring.record["largest_sum"] is None
    assert "Nothing bounds" in ring.record["ring"]["note"]
    assert "36 bits" in ring_for(1438.0, 50).record["ring"]["note"]


def test_a_sum_that_no_word_holds_is_refused_with_the_bits_that_it_needs():
    ring_for(1438.0, 50, 52)
    with pytest.raises(UserError, match=r"need a ring of 65 bits, .* fewer fraction_bits"):
        ring_for(1438.0, 50, 53)
    with pytest.raises(UserError, match=r"need a ring of 71 bits, .* clip what is sent"):
        ring_for(2.0**69, 2, 0)


@pytest.mark.parametrize("bits", [25, 36, 41, 63])
def test_a_masked_message_is_uniform_in_a_smaller_ring(bits):
    """Its highest and its lowest bits, of numbers that take a small part of the ring alone."""
    values, ring = np.full(20_000, 0.25), Ring(bits, fraction_bits=20)
    message = masked(values, Dealer.of_study(3).key(5), sum_number=1, ring=ring)
    assert int(message.max()) < 2**bits
    for part in (message >> np.uint64(bits - 6), message & np.uint64(63)):
        counts = np.bincount(part.astype(np.int64), minlength=64)
        assert len(counts) == 64
        assert chisquare(counts).pvalue > 1e-3


def test_masks_differ_by_client_round_and_dealer():
    keys = [Dealer.of_study(seed).key(client) for seed in (0, 1) for client in (0, 1)]
    masks = [tuple(mask(key, sum_number, 2)) for key in keys for sum_number in (0, 1)]
    assert len(set(masks)) == len(masks)
    assert tuple(mask(keys[0], 0, 5)[:2]) == masks[0]
    assert mask(keys[0], 0, 2, SMALL).tolist() == [m % 2**36 for m in map(int, masks[0])]


@pytest.mark.parametrize("clients", [[], [4]])
def test_a_set_of_one_is_refused(clients):
    with pytest.raises(UserError, match="aggregation: open"):
        Dealer.of_study(0).sum_of_masks(clients, 1, 3)


@pytest.mark.parametrize("value", [np.nan, np.inf, 2.0**39, -(2.0**40)])
def test_numbers_beyond_the_ring_are_refused(value):
    with pytest.raises(UserError, match="ring"):
        to_ring(np.array([1.0, value]))
