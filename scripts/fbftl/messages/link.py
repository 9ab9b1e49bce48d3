"""The link of one setting: how messages become packets, and which of them arrive."""

from dataclasses import dataclass

import numpy as np

from fbftl.messages.channel import (
    BurstLoss,
    Channel,
    IndependentLoss,
    PacketLoss,
    blocks_per_packet,
    transmit,
)
from fbftl.messages.codec import compress
from fbftl.messages.codec.compression import PLAIN
from fbftl.study.job import KnownAxes


@dataclass(frozen=True)
class Delivery:
    """What became of some messages, one entry each.

    blocks: transmission blocks n_b of the message.
    attempts: blocks sent for it, retransmissions included.
    arrives: whether all its blocks arrived in the end.
    """

    blocks: np.ndarray
    attempts: np.ndarray
    arrives: np.ndarray


@dataclass(frozen=True)
class Link:
    """A lossy link with a block size, the same for every method (Sec. IV-A).

    channel: what it does to blocks.
    retransmissions: n_r, times that a lost block is sent again at most.
    block_bits: bits of a block.
    """

    channel: Channel
    retransmissions: int
    block_bits: int

    def send(self, bits: np.ndarray, rng: np.random.Generator) -> Delivery:
        """Send one packet per message of `bits` (n,) bits."""
        blocks = blocks_per_packet(bits, self.block_bits)
        sent = transmit(blocks, self.channel, self.retransmissions, rng)
        return Delivery(blocks, sent.attempts, ~sent.lost)


def plain_upload_bits(width: int, classes: int) -> int:
    """Return the bits of one uncompressed FbFTL upload: the block size of every link here.

    The paper's Fig. 6 takes the same: one FbFTL upload is one block.
    """
    return int(compress(np.zeros((1, width), dtype=np.float32), PLAIN, classes).bits[0])


def link_of(setting: KnownAxes, block_bits: int) -> Link:
    """Return a setting's link: whole packets lost at PLR, or blocks at BLR, alone or in bursts."""
    channel: Channel = PacketLoss(setting.plr)
    if setting.blr > 0:
        channel = IndependentLoss(setting.blr)
        if setting.burst > 1:
            channel = BurstLoss(setting.blr, setting.burst)
    return Link(channel, setting.retransmissions, block_bits)
