"""Releases and links: the server reads what the bytes say, and losses are the link's."""

from hashlib import sha256

import numpy as np
import pytest
from fbftl.messages.channel import packet_loss_rate
from fbftl.messages.codec import Compression, decode
from fbftl.messages.encoded import encode_rows
from fbftl.messages.link import link_of, plain_upload_bits
from fbftl.study.settings import Setting


@pytest.mark.parametrize("compression", [Compression(), Compression(8, 0.1), Compression(2, 0.5)])
def test_the_server_reads_what_the_bytes_say(compression: Compression) -> None:
    values = np.random.default_rng(0).standard_normal((20, 33)).astype(np.float32)
    labels = np.arange(20) % 10
    sent = encode_rows(values, compression, labels, 10)
    for row, message in enumerate(sent.messages):
        read = decode(message)
        assert (read.values[0] == sent.values[row]).all()
        assert read.labels[0] == labels[row]
        assert sent.bits[row] == 8 * len(message)
        assert sent.digests[row] == sha256(message).digest()


def test_a_plain_upload_is_one_block() -> None:
    values = np.ones((3, 256), dtype=np.float32)
    bits = plain_upload_bits(256, 10)
    assert (encode_rows(values, Compression(), np.arange(3), 10).bits == bits).all()
    delivery = link_of(Setting(), bits).send(np.array([bits, bits + 1]), np.random.default_rng(0))
    assert delivery.blocks.tolist() == [1, 2]
    assert delivery.arrives.all()


def test_block_losses_follow_eq_18() -> None:
    blr, blocks, packets = 0.01, 50, 20_000
    setting = Setting(blr=blr)
    bits = np.full(packets, 1000 * blocks)
    delivery = link_of(setting, 1000).send(bits, np.random.default_rng(1))
    expected = packet_loss_rate(blr, blocks)
    deviation = (expected * (1 - expected) / packets) ** 0.5
    assert 1 - delivery.arrives.mean() == pytest.approx(expected, abs=5 * deviation)


def test_packets_lost_at_a_low_rate_are_lost_at_a_higher_one() -> None:
    bits = np.full(1000, 8)
    low, high = (
        link_of(Setting(plr=plr), 8).send(bits, np.random.default_rng(2)).arrives
        for plr in (0.2, 0.6)
    )
    assert (high <= low).all()
    assert high.sum() < low.sum()
