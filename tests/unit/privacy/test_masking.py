"""Masked sums: exact, uniform to the server, whole when clients drop out, never of one."""

import numpy as np
import pytest
from fbftl.ground.errors import UserError
from fbftl.privacy.masking import (
    FRACTION_BITS,
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

NUMBERS = st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3)


@given(st.lists(NUMBERS, min_size=2, max_size=6), st.integers(0, 2**40))
def test_masked_sums_equal_fixed_point_sums_bit_for_bit(rows, turn):
    values, dealer = np.array(rows), Dealer.of_study(7)
    sent = [masked(row, dealer.key(u), turn) for u, row in enumerate(values)]
    found = unmasked_sum(sent, dealer.sum_of_masks(range(len(rows)), turn, 3))
    expected = np.rint(values * 2.0**FRACTION_BITS).sum(axis=0) / 2.0**FRACTION_BITS
    assert np.array_equal(found, expected)


def test_a_client_that_drops_out_after_masking_leaves_the_sum_of_the_others():
    values, dealer = np.arange(12.0).reshape(4, 3) - 5, Dealer.of_study(1)
    sent = {u: masked(values[u], dealer.key(u), 2) for u in (0, 1, 3)}
    found = unmasked_sum(list(sent.values()), dealer.sum_of_masks(list(sent), 2, 3))
    assert np.array_equal(found, values[[0, 1, 3]].sum(axis=0))


def test_a_masked_message_is_uniform_and_uncorrelated():
    values = np.random.default_rng(0).normal(size=20_000)
    message = masked(values, Dealer.of_study(3).key(5), turn=1)
    counts = np.bincount(message.view(np.uint8), minlength=256)
    assert chisquare(counts).pvalue > 1e-3
    assert abs(np.corrcoef(from_ring(message), values)[0, 1]) < 3 / np.sqrt(len(values))


def test_masks_differ_by_client_round_and_dealer():
    keys = [Dealer.of_study(seed).key(client) for seed in (0, 1) for client in (0, 1)]
    masks = [tuple(mask(key, turn, 2)) for key in keys for turn in (0, 1)]
    assert len(set(masks)) == len(masks)
    assert tuple(mask(keys[0], 0, 5)[:2]) == masks[0]


@pytest.mark.parametrize("clients", [[], [4]])
def test_a_set_of_one_is_refused(clients):
    with pytest.raises(UserError, match="aggregation: open"):
        Dealer.of_study(0).sum_of_masks(clients, 1, 3)


@pytest.mark.parametrize("value", [np.nan, np.inf, 2.0**39, -(2.0**40)])
def test_numbers_beyond_the_ring_are_refused(value):
    with pytest.raises(UserError, match="ring"):
        to_ring(np.array([1.0, value]))


def test_sums_beyond_the_ring_are_refused_before_any_job():
    require_room(2.0**20, 2**18)
    with pytest.raises(UserError, match="524,288 numbers of size up to"):
        require_room(2.0**20, 2**19)
