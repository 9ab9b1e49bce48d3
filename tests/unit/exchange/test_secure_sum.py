"""Secure sums through the post: exact, of those who arrived, paid for, and never of one."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from fbftl.exchange.post import Post
from fbftl.exchange.secure_sum import SecureSum, travelling
from fbftl.ground.errors import UserError
from fbftl.ground.ring import FRACTION_BITS, Ring, ring_for
from fbftl.messages.channel import link_of
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.ledger import Ledger
from fbftl.privacy.masking import WORD, masked
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.study.settings import Setting

CLIENTS, WIDTH = np.arange(12) + 40, 5
VALUES = np.random.default_rng(0).normal(size=(len(CLIENTS), WIDTH))
SAID = VALUES.__getitem__


def summing(plr: float = 0.0, ring: Ring = WORD) -> SecureSum:
    link = link_of(Setting(plr=plr), 512)
    return SecureSum(Post(Ledger(method="toy"), link, seed=3, guarantee=no_mechanism()), ring)


def rows(secure_sum: SecureSum) -> pd.DataFrame:
    return secure_sum.post.ledger.table().to_pandas()


@dataclass(frozen=True)
class OfTheDealer:
    """Noise of a dealer, the same whoever arrives."""

    values: np.ndarray

    def of(self, arrived: np.ndarray, count: int) -> np.ndarray:
        return self.values


def fixed_point(values: np.ndarray, bits: int = FRACTION_BITS) -> np.ndarray:
    return np.rint(values * 2.0**bits).sum(axis=0) / 2.0**bits


@pytest.mark.parametrize("masked_count", [0, 1, 4])
def test_a_sample_of_made_messages_leaves_the_same_sum_and_lengths(masked_count):
    whole, sample = summing(plr=0.3), summing(plr=0.3)
    every, few = (
        whole.of(SAID, CLIENTS, 1),
        sample.of(SAID, CLIENTS, 1, masked_count=masked_count),
    )
    assert 0 < every.receipt.arrives.sum() < len(CLIENTS)
    assert np.array_equal(every.total, fixed_point(VALUES[every.receipt.arrives]))
    assert np.array_equal(every.total, few.total)
    up = rows(sample).query("direction == 'up'")
    assert up["encoded"].tolist() == ["made"] * masked_count + ["counted"] * (
        len(CLIENTS) - masked_count
    )
    assert up["sha256"].notna().tolist() == [True] * masked_count + [False] * (
        len(CLIENTS) - masked_count
    )
    assert up["bits"].tolist() == rows(whole).query("direction == 'up'")["bits"].tolist()


def test_only_those_who_take_part_are_summed_and_given_a_key():
    secure_sum, some = summing(), np.array([1, 4, 5])
    summed = secure_sum.of(SAID, CLIENTS, 1, offered=some)
    assert np.array_equal(summed.total, fixed_point(VALUES[some]))
    keys = rows(secure_sum).query("sender == 'dealer' and part == 'share'")
    assert keys["client"].tolist() == CLIENTS[some].tolist()
    assert (keys["payload_bits"] == 256).all()
    secure_sum.of(SAID, CLIENTS, 2, offered=some)
    assert len(rows(secure_sum).query("part == 'share'")) == len(some)


def test_every_message_has_its_row():
    secure_sum = summing()
    secure_sum.of(SAID, CLIENTS, 7, part="statistics")
    table = rows(secure_sum)
    up = table.query("direction == 'up'")
    assert (up["part"] == "statistics").all()
    assert (up["payload_bits"] == 64 * WIDTH).all()
    assert (up["bits"] == 64 * WIDTH + 8 * HEADER_BYTES).all()
    between = table.query("direction == 'between'")
    ends = list(zip(between["sender"], between["receiver"], between["payload_bits"], strict=True))
    assert ends == [("server", "dealer", 32 * len(CLIENTS)), ("dealer", "server", 64 * WIDTH)]
    assert (between["round"] == 7).all()


def test_the_server_sees_the_sum_with_the_dealers_noise():
    noise = np.random.default_rng(1).normal(size=WIDTH)
    summed = summing().of(SAID, CLIENTS, 1, noise=OfTheDealer(noise))
    assert np.array_equal(summed.total, fixed_point(np.vstack([VALUES, noise])))


@pytest.mark.parametrize("count", [0, 1])
def test_a_sum_of_fewer_than_two_is_not_told(count):
    secure_sum = summing()
    assert secure_sum.of(VALUES[:count].__getitem__, CLIENTS[:count], 1).total is None
    assert not (rows(secure_sum)["sender"] == "dealer")[
        rows(secure_sum)["direction"] == "between"
    ].any()
    assert len(rows(secure_sum)) == 0 or count == 1


@pytest.mark.parametrize("fraction_bits", [20, 24])
def test_the_smallest_ring_has_the_same_sum_and_is_paid_for_alone(fraction_bits):
    ring = ring_for(np.abs(VALUES).max(axis=1).sum(), len(CLIENTS), fraction_bits)
    secure_sum = summing(plr=0.4, ring=ring)
    summed = secure_sum.of(SAID, CLIENTS, 1)
    arrived = VALUES[summed.receipt.arrives]
    assert 1 < len(arrived) < len(CLIENTS)
    assert np.array_equal(summed.total, fixed_point(arrived, fraction_bits))
    assert ring.bits < 34
    table = rows(secure_sum)
    up, masks = table.query("direction == 'up'"), table.query("part == 'mask'")
    assert (up["payload_bits"] == ring.bits * WIDTH).all()
    assert (up["bits"] == 8 * (HEADER_BYTES + -(-ring.bits * WIDTH // 8))).all()
    assert masks["payload_bits"].tolist() == [32 * len(arrived), ring.bits * WIDTH]


def test_what_the_server_knows_is_taken_off_and_added_to_the_last_step():
    known = 1e5 * np.random.default_rng(2).normal(size=VALUES.shape)
    more = known + VALUES
    ring = ring_for(np.abs(VALUES).max(axis=1).sum(), 2 * len(CLIENTS))
    summed = summing(plr=0.3, ring=ring).of(more.__getitem__, CLIENTS, 1, known=known.__getitem__)
    assert np.array_equal(summed.total, fixed_point(more[summed.receipt.arrives]))
    with pytest.raises(UserError, match=f"ring of {ring.bits} bits"):
        summing(ring=ring).of(more.__getitem__, CLIENTS, 1)


def test_a_sum_that_could_leave_the_ring_is_refused():
    with pytest.raises(UserError, match="aggregation: open"):
        summing().of(np.full((4, 2), 2.0**37).__getitem__, CLIENTS[:4], 1)


def test_noise_that_leaves_the_ring_is_refused():
    ring = ring_for(np.abs(VALUES).max(axis=1).sum(), len(CLIENTS))
    with pytest.raises(UserError, match="leave the ring"):
        summing(ring=ring).of(SAID, CLIENTS, 1, noise=OfTheDealer(np.full(WIDTH, ring.end)))


@pytest.mark.parametrize("bits", [9, 25, 36, 41, 63, 64])
def test_what_travels_has_every_number_in_so_many_bits(bits):
    ring = Ring(bits, fraction_bits=3)
    numbers = masked(np.arange(17.0), bytes(32), 1, ring=ring)
    sent = bytes(travelling(numbers, ring))
    assert len(sent) == ring.message_bytes(17) == -(-bits * 17 // 8)
    if bits < 64:
        whole = int.from_bytes(sent, "big") >> (8 * len(sent) - bits * 17)
        read = [whole >> bits * (16 - index) & 2**bits - 1 for index in range(17)]
        assert read == numbers.tolist()
