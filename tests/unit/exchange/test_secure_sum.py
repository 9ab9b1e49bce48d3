"""Secure sums through the post: exact, of those who arrived, paid for, and never of one."""

import numpy as np
import pandas as pd
import pytest
from fbftl.exchange.post import Post
from fbftl.exchange.secure_sum import SecureSum
from fbftl.ground.errors import UserError
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.ledger import Ledger
from fbftl.messages.link import link_of
from fbftl.privacy.masking import FRACTION_BITS
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.study.settings import Setting

CLIENTS, WIDTH = np.arange(12) + 40, 5
VALUES = np.random.default_rng(0).normal(size=(len(CLIENTS), WIDTH))


def summing(plr: float = 0.0) -> SecureSum:
    link = link_of(Setting(plr=plr), 512)
    return SecureSum(Post(Ledger(method="toy"), link, seed=3, guarantee=no_mechanism()))


def rows(own: SecureSum) -> pd.DataFrame:
    return own.post.ledger.table().to_pandas()


def fixed_point(values: np.ndarray) -> np.ndarray:
    return np.rint(values * 2.0**FRACTION_BITS).sum(axis=0) / 2.0**FRACTION_BITS


def test_the_sum_is_that_of_the_fixed_point_numbers_that_arrived():
    found = summing(plr=0.4).of(VALUES, CLIENTS, 1)
    assert 0 < found.receipt.arrives.sum() < len(CLIENTS)
    assert np.array_equal(found.total, fixed_point(VALUES[found.receipt.arrives]))


@pytest.mark.parametrize("made", [0, 1, 4])
def test_a_sample_of_made_messages_leaves_the_same_sum_and_lengths(made):
    whole, sample = summing(plr=0.3), summing(plr=0.3)
    one, other = whole.of(VALUES, CLIENTS, 1), sample.of(VALUES, CLIENTS, 1, made=made)
    assert np.array_equal(one.total, other.total)
    up = rows(sample).query("direction == 'up'")
    assert up["encoded"].tolist() == ["made"] * made + ["counted"] * (len(CLIENTS) - made)
    assert up["sha256"].notna().tolist() == [True] * made + [False] * (len(CLIENTS) - made)
    assert up["bits"].tolist() == rows(whole).query("direction == 'up'")["bits"].tolist()


def test_only_those_who_take_part_are_summed_and_given_a_key():
    own, some = summing(), np.array([1, 4, 5])
    found = own.of(VALUES, CLIENTS, 1, offered=some)
    assert np.array_equal(found.total, fixed_point(VALUES[some]))
    keys = rows(own).query("sender == 'dealer' and part == 'share'")
    assert keys["client"].tolist() == CLIENTS[some].tolist()
    assert (keys["payload_bits"] == 256).all()
    own.of(VALUES, CLIENTS, 2, offered=some)
    assert len(rows(own).query("part == 'share'")) == len(some)


def test_every_message_has_its_row():
    own = summing()
    own.of(VALUES, CLIENTS, 7, part="statistics")
    table = rows(own)
    up = table.query("direction == 'up'")
    assert (up["part"] == "statistics").all()
    assert (up["payload_bits"] == 64 * WIDTH).all()
    assert (up["bits"] == 64 * WIDTH + 8 * HEADER_BYTES).all()
    between = table.query("direction == 'between'")
    ends = list(zip(between["sender"], between["receiver"], between["payload_bits"], strict=True))
    assert ends == [("server", "dealer", 32 * len(CLIENTS)), ("dealer", "server", 64 * WIDTH)]
    assert (between["round"] == 7).all()


def test_equal_values_never_travel_as_equal_messages():
    own = summing()
    own.of(np.ones((2, WIDTH)), CLIENTS[:2], 1)
    own.of(np.ones((2, WIDTH)), CLIENTS[:2], 1)
    digests = rows(own).query("direction == 'up'")["sha256"]
    assert digests.nunique() == 4


def test_the_server_sees_the_sum_with_the_dealers_noise():
    noise = np.random.default_rng(1).normal(size=WIDTH)
    found = summing().of(VALUES, CLIENTS, 1, noise=lambda places, count: noise)
    assert np.array_equal(found.total, fixed_point(np.vstack([VALUES, noise])))


@pytest.mark.parametrize("count", [0, 1])
def test_a_sum_of_fewer_than_two_is_not_told(count):
    own = summing()
    assert own.of(VALUES[:count], CLIENTS[:count], 1).total is None
    assert not (rows(own)["sender"] == "dealer")[rows(own)["direction"] == "between"].any()


def test_a_sum_that_could_leave_the_ring_is_refused():
    with pytest.raises(UserError, match="aggregation: open"):
        summing().of(np.full((4, 2), 2.0**37), CLIENTS[:4], 1)
