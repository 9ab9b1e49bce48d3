"""Bytes of sums without a dealer, in closed form."""

from math import comb

import pytest
from fbftl.cost.secure_sums import LARGEST_MODULUS, by_rounding, replicated
from fbftl.privacy.replicated import Committee


@pytest.mark.parametrize(("members", "threshold"), [(2, 2), (3, 2), (5, 3), (6, 4)])
def test_replicated_seeds_cost_what_a_committee_says(members, threshold):
    cost = replicated(1001, 36, members, threshold)
    committee = Committee(members, threshold)
    assert cost.vector == -(-1001 * 36 // 8)
    assert cost.beside == committee.box_bytes
    assert cost.client == cost.vector + cost.beside
    assert cost.answers == comb(members, threshold - 1) * cost.vector
    assert comb(members, threshold - 1) == len(committee.sets)


def test_rounding_takes_bits_of_every_number_and_answers_do_not_grow():
    """36 bits, one for half a step, ten of 1,000 clients: 47, and 51 of the modulus, below 56."""
    short, long = (by_rounding(count, 36, 1000, 5, 3) for count in (1000, 100_000))
    assert long.vector == 100_000 * 47 // 8
    assert short.answers == long.answers == 3 * 2048 * 51 // 8
    assert long.beside == 32 + 5 * (2048 * 51 // 8 + 16)
    seeds = replicated(100_000, 36, 5, 3)
    assert seeds.client < long.client
    assert seeds.answers > 100 * long.answers


@pytest.mark.parametrize(("clients", "bits"), [(2, 2), (3, 3), (4, 3), (1000, 11), (1024, 11)])
def test_the_rounding_of_all_clients_stays_below_half_a_step(clients, bits):
    """Each stream is off by half of its last bit, and their sum is rounded once more."""
    assert by_rounding(8, 30, clients, 3, 2).vector == 30 + bits
    assert (clients + 1) / 2 < 2**bits / 2


def test_a_modulus_beyond_the_table_is_refused():
    with pytest.raises(ValueError, match="no secret"):
        by_rounding(1, max(LARGEST_MODULUS.values()), 2, 3, 2)
