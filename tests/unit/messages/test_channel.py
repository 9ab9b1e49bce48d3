"""Channel and link: closed forms, simulation against them, bursts, what a setting names."""

import math
from decimal import Decimal, getcontext

import numpy as np
import pytest
from fbftl.ground.randomness import stream
from fbftl.messages.channel import (
    BurstLoss,
    IndependentLoss,
    Link,
    PacketLoss,
    blocks_per_packet,
    burst_packet_loss_rate,
    expected_payload,
    link_of,
    packet_loss_rate,
    plain_upload_bits,
    transmit,
)
from fbftl.messages.codec import Compression
from fbftl.messages.encoded import encode_rows
from fbftl.study.settings import Setting
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats


def is_plausible(count: int, trials: int, probability: float) -> bool:
    """Whether `count` successes lie within the central 1 - 1e-6 of the binomial."""
    low, high = stats.binom.interval(1 - 1e-6, trials, probability)
    return low <= count <= high


# --- closed forms -----------------------------------------------------------------------------


def test_blocks_per_packet_rounds_up():
    assert blocks_per_packet([1, 1000, 1001, 10**12], 1000).tolist() == [1, 1, 2, 10**9]


@pytest.mark.parametrize("blr", [1e-12, 1e-7, 1e-3, 0.3, 0.99])
@pytest.mark.parametrize("blocks", [1, 17, 100_000])
@pytest.mark.parametrize("retransmissions", [0, 1, 3])
def test_packet_loss_rate_is_exact(blr, blocks, retransmissions):
    getcontext().prec = 60
    exact = 1 - (1 - Decimal(blr) ** (retransmissions + 1)) ** blocks
    assert packet_loss_rate(blr, blocks, retransmissions) == pytest.approx(float(exact), rel=1e-12)


def test_packet_loss_rate_at_the_ends():
    assert packet_loss_rate(0.0, 100_000) == 0
    assert packet_loss_rate(1.0, 3) == 1
    assert packet_loss_rate([0.0, 1.0], [1, 1]).tolist() == [0, 1]


@given(st.floats(0, 0.999), st.integers(0, 9))
def test_expected_payload_is_the_geometric_sum(blr, retransmissions):
    closed = 7.0 * (1 - blr ** (retransmissions + 1)) / (1 - blr)
    assert expected_payload(7.0, blr, retransmissions) == pytest.approx(closed)


# --- independent losses -----------------------------------------------------------------------


@pytest.mark.parametrize(("blocks", "blr"), [(1, 0.3), (20, 0.02), (100_000, 1e-5)])
@pytest.mark.parametrize("retransmissions", [0, 1, 2])
def test_simulation_meets_the_closed_forms(blocks, blr, retransmissions):
    packets = 100_000
    sent = transmit(
        np.full(packets, blocks), IndependentLoss(blr), retransmissions, stream(1, "loss")
    )
    plr = packet_loss_rate(blr, blocks, retransmissions)
    assert is_plausible(sent.lost.sum(), packets, plr)
    # Attempts beyond the first, one round after another, are binomial too.
    extra = sent.attempts.sum() - packets * blocks
    mean = expected_payload(packets * blocks, blr, retransmissions) - packets * blocks
    assert abs(extra - mean) <= 6 * math.sqrt(mean * (retransmissions + 1)) + 1e-9


@pytest.mark.parametrize(
    ("channel", "lost", "attempts"),
    [
        (IndependentLoss(0), False, [1, 5, 9]),
        (BurstLoss(0, 1), False, [1, 5, 9]),
        (PacketLoss(0), False, [1, 5, 9]),
        (IndependentLoss(1), True, [3, 15, 27]),
        (PacketLoss(1), True, [3, 15, 27]),
    ],
)
def test_a_perfect_channel_loses_nothing_and_a_dead_one_everything(channel, lost, attempts):
    sent = transmit([1, 5, 9], channel, 2, stream(0, "loss"))
    assert (sent.lost == lost).all()
    assert sent.attempts.tolist() == attempts


# --- bursts -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("blr", "length"), [(0.1, 5), (0.01, 1), (0.5, 1), (0.6, 30)])
def test_bursts_have_their_rate_and_length(blr, length):
    lost = transmit(np.ones(400_000), BurstLoss(blr, length), 0, stream(3, "loss")).lost
    ends = np.flatnonzero(np.diff(np.concatenate([[0], lost, [0]])))
    runs = ends[1::2] - ends[::2]
    # A run varies by about its own length, hence the standard errors.
    assert lost.mean() == pytest.approx(blr, abs=6 * blr * math.sqrt(2 / len(runs)))
    assert runs.mean() == pytest.approx(length, abs=6 * length / math.sqrt(len(runs)))


@pytest.mark.parametrize(("blr", "length"), [(0.5, 1), (0.75, 3)])
def test_where_no_good_state_lasts_one_block_is_lost_at_the_rate_and_two_surely(blr, length):
    rates = burst_packet_loss_rate(blr, length, [1, 2, 9])
    np.testing.assert_allclose(rates, [blr, 1, 1])
    lost = transmit(np.full(1000, 2), BurstLoss(blr, length), 0, stream(5, "loss")).lost
    assert lost.all()


@pytest.mark.parametrize("blocks", [1, 2, 10, 100])
def test_burst_simulation_meets_its_closed_form(blocks):
    # Far apart packets of interest are independent; the filler between them is not looked at.
    packets, filler = 20_000, 400
    layout = np.tile([blocks, filler], packets)
    lost = transmit(layout, BurstLoss(0.05, 8), 0, stream(5, "loss")).lost[::2]
    assert is_plausible(lost.sum(), packets, burst_packet_loss_rate(0.05, 8, blocks))


def test_bursts_as_short_as_chance_are_independent_losses():
    blocks = np.arange(1, 50)
    np.testing.assert_allclose(
        burst_packet_loss_rate(0.2, 1 / 0.8, blocks), packet_loss_rate(0.2, blocks)
    )


# --- links of settings ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("axes", "channel"),
    [
        ({}, PacketLoss(0.0)),
        ({"plr": 0.3}, PacketLoss(0.3)),
        ({"blr": 0.1}, IndependentLoss(0.1)),
        ({"blr": 0.1, "burst": 5.0}, BurstLoss(0.1, 5.0)),
    ],
)
def test_a_setting_names_its_channel(axes, channel):
    assert link_of(Setting(**axes, retransmissions=2), 1000) == Link(channel, 2, 1000)


def test_a_plain_upload_is_one_block():
    values, bits = np.ones((3, 256), dtype=np.float32), plain_upload_bits(256, 10)
    assert (encode_rows(values, Compression(), np.arange(3), 10).bits == bits).all()
    delivery = link_of(Setting(), bits).send(np.array([bits, bits + 1]), stream(0, "loss"))
    assert delivery.blocks.tolist() == [1, 2]
    assert delivery.arrives.all()


# --- whole packets, streams, refusals ---------------------------------------------------------


def test_packet_loss_ignores_the_size():
    lost = transmit([1, 10**6] * 10_000, PacketLoss(0.3), 0, stream(1, "loss")).lost
    assert is_plausible(lost[::2].sum(), 10_000, 0.3)
    assert is_plausible(lost[1::2].sum(), 10_000, 0.3)


def test_packets_lost_at_a_low_rate_are_lost_at_a_higher_one():
    patterns = [
        transmit(np.ones(1000), PacketLoss(plr), 0, stream(4, "loss")).lost
        for plr in (0.1, 0.5, 0.9)
    ]
    assert (patterns[0] <= patterns[1]).all()
    assert (patterns[1] <= patterns[2]).all()


@pytest.mark.parametrize("channel", [IndependentLoss(0.3), BurstLoss(0.3, 3), PacketLoss(0.3)])
def test_the_pattern_belongs_to_the_seed_alone(channel):
    first = transmit(np.full(500, 3), channel, 1, stream(7, "loss"))
    stream(7, "noise").standard_normal(99)
    again = transmit(np.full(500, 3), channel, 1, stream(7, "loss"))
    other = transmit(np.full(500, 3), channel, 1, stream(8, "loss"))
    np.testing.assert_array_equal(again.lost, first.lost)
    np.testing.assert_array_equal(again.attempts, first.attempts)
    assert (other.lost != first.lost).any()


@pytest.mark.parametrize("rate", [-0.1, 1.5, math.nan])
@pytest.mark.parametrize("channel", [IndependentLoss, PacketLoss, lambda r: BurstLoss(r, 9)])
def test_rates_out_of_range_are_refused(channel, rate):
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\]"):
        channel(rate)


@pytest.mark.parametrize(
    ("blr", "length"), [(0.1, 0.5), (0.9, 5), (0.1, np.inf), (0.1, np.nan), (1, 5)]
)
def test_impossible_bursts_are_refused(blr, length):
    with pytest.raises(ValueError, match="below 1" if blr == 1 else "burst length must be at"):
        BurstLoss(blr, length)


def test_a_burst_takes_retransmissions_too():
    blr, length, links = 0.05, 8, 4_000
    channel, draws = BurstLoss(blr, length), stream(6, "loss")
    lost = [transmit([1], channel, 1, draws).lost[0] for _ in range(links)]
    # The second attempt is lost if the burst goes on, not with probability BLR.
    expected = blr * (1 - 1 / length)
    assert np.mean(lost) == pytest.approx(expected, abs=4 * np.sqrt(expected / links))


def test_a_silent_packet_leaves_the_link_as_it_was():
    for state in (True, False):
        counted, after = BurstLoss(0.2, 4).lost_blocks(np.array([0, 0]), stream(0, "loss"), state)
        assert counted.tolist() == [0, 0]
        assert after == state
