"""Messages over a relay that loses blocks: as many are lost as the channel model says."""

import numpy as np
import pytest
from fbftl.messages.channel import BurstLoss, packet_loss_rate, transmit
from fbftl.messages.codec import decode, encode
from fbftl_deploy.relay import cross, in_bursts, independently
from scipy.stats import binom

MESSAGES = [encode(np.full(32, number, dtype=np.float32)) for number in range(400)]
"""Of 150 bytes each: three blocks of 64."""

RATE, BURST, BLOCK = 0.1, 4.0, 64


@pytest.mark.parametrize("retransmissions", [0, 1])
def test_blocks_lost_alone_lose_as_many_packets_as_the_closed_form(retransmissions):
    dropping = independently(RATE, np.random.default_rng(5))
    crossing = cross(MESSAGES, BLOCK, dropping, retransmissions)
    expected = packet_loss_rate(RATE, 3, retransmissions)
    low, high = binom.interval(0.99, len(MESSAGES), expected)
    assert low <= np.count_nonzero(~crossing.arrived) <= high
    assert (crossing.blocks == 3).all()


def test_bursts_lose_as_many_packets_as_the_simulated_channel():
    dropping = in_bursts(RATE, BURST, np.random.default_rng(5))
    crossing = cross(MESSAGES, BLOCK, dropping)
    channel, random = BurstLoss(RATE, BURST), np.random.default_rng(0)
    blocks = np.full(len(MESSAGES), 3)
    lost = [transmit(blocks, channel, 0, random).lost.sum() for _ in range(1000)]
    low, high = np.quantile(lost, [0.005, 0.995])
    assert low <= np.count_nonzero(~crossing.arrived) <= high
    # Fewer than without bursts: lost blocks stand together.
    assert np.mean(lost) < len(MESSAGES) * packet_loss_rate(RATE, 3)


def test_what_arrives_is_what_was_sent_and_takes_its_time():
    crossing = cross(MESSAGES[:20], BLOCK, lambda: False, bits_per_second=1e6)
    assert crossing.messages == MESSAGES[:20]
    assert decode(crossing.messages[7]).values[0, 0] == 7
    assert crossing.airtime == pytest.approx(20 * 150 * 8 / 1e6)


def test_a_link_that_loses_all_sends_every_block_as_often_as_it_may():
    crossing = cross(MESSAGES[:5], BLOCK, lambda: True, retransmissions=2)
    assert crossing.messages == [None] * 5
    assert (crossing.attempts == 9).all()
    assert crossing.lost_packets == 1
