"""The uplink: packets of blocks and their losses (paper Sec. IV-A), and the link of a setting."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from fbftl.messages.codec import compress
from fbftl.messages.codec.compression import PLAIN
from fbftl.study.job import KnownAxes

# --- closed forms ---------------------------------------------------------------------------


def blocks_per_packet(bits: ArrayLike, block_bits: int) -> np.ndarray:
    """Return n_b: the blocks of `block_bits` bits that packets of `bits` bits take."""
    return -(-np.asarray(bits, dtype=np.int64) // block_bits)


def packet_loss_rate(
    blr: ArrayLike, blocks: ArrayLike, retransmissions: int = 0
) -> np.ndarray | float:
    """Return the probability that a packet is lost, Eq. (18): PLR = 1 - (1 - BLR)^n_b.

    With at most n_r retransmissions of each block and independent transmissions, a block is lost
    for good with probability BLR^(n_r + 1), which then takes the place of BLR. Exact to rounding
    for any BLR in [0, 1], however small, and any number of blocks.
    """
    with np.errstate(divide="ignore"):
        return -np.expm1(np.asarray(blocks) * np.log1p(-(np.asarray(blr) ** (retransmissions + 1))))


def expected_payload(payload: ArrayLike, blr: ArrayLike, retransmissions: int) -> np.ndarray:
    """Return the expected uplink payload, Eq. (19): P · Σ_{n=0}^{n_r} BLR^n, in `payload`'s unit.

    Blocks are what is retransmitted, not packets: the n-th retransmission of a block happens
    when all n transmissions before it were lost, with probability BLR^n. A packet goes on with
    its other blocks after one of them is lost for good, so the sum is the same for each block
    and for every packet size.
    """
    powers = np.asarray(blr, dtype=float)[..., None] ** np.arange(retransmissions + 1)
    return np.asarray(payload) * powers.sum(axis=-1)


GILBERT_ELLIOTT = "Gilbert-Elliott"
"""The channel of bursts, whose loss rate is not the paper's Eq. (18)."""


def burst_packet_loss_rate(blr: float, burst_length: float, blocks: ArrayLike) -> np.ndarray:
    """Return the packet loss rate of `BurstLoss` without retransmissions.

    The first block arrives with probability 1 - BLR, and each further one if the channel stays
    good: PLR = 1 - (1 - BLR)(1 - p)^(n_b - 1), where p is the rate of leaving the good state.
    """
    further = np.asarray(blocks) - 1
    leave_good = BurstLoss(blr, burst_length).leave_good
    if leave_good == 1:  # nothing stays good, and a logarithm of 0 times no further block is 0
        return np.where(further > 0, 1.0, blr)
    return -np.expm1(np.log1p(-blr) + further * np.log1p(-leave_good))


# --- channels -------------------------------------------------------------------------------


State = bool | None
"""Whether the last block on a link was lost; None where that says nothing of the next."""


class Channel(Protocol):
    """Whatever can say how many blocks of each packet do not arrive."""

    def lost_blocks(
        self, blocks: np.ndarray, rng: np.random.Generator, state: State = None
    ) -> tuple[np.ndarray, State]:
        """Draw what becomes of packets that follow each other on the link.

        Args:
            blocks: (packets,) blocks sent for each, 0 for a packet that sends nothing.
            rng: the stream to draw from.
            state: as the call before left the channel; None finds it in its stationary state.

        Returns:
            How many blocks of each packet are lost (packets,) int64, and the state after them.
        """


@dataclass(frozen=True)
class IndependentLoss:
    """Every block is lost with probability `blr` in [0, 1], independently."""

    blr: float

    def __post_init__(self) -> None:
        _check_rate("block loss rate", self.blr)

    def lost_blocks(
        self, blocks: np.ndarray, rng: np.random.Generator, state: State = None
    ) -> tuple[np.ndarray, State]:
        """Return the losses (packets,) of each packet's `blocks`; the channel has no memory."""
        return rng.binomial(blocks, self.blr), None


@dataclass(frozen=True)
class BurstLoss:
    """A Gilbert-Elliott channel: all blocks arrive in its good state, none in its bad state.

    The blocks of all packets follow each other on one link in the order given, so a burst can
    span several packets. Runs of either state are geometric; they are drawn whole, so the work
    grows with the number of bursts and not of blocks. Retransmissions follow the blocks that they
    repeat on the same link, so a burst can take them too.

    blr: mean block loss rate, in [0, 1).
    burst_length: mean number of blocks lost in a row; at least 1 and at least
        blr / (1 - blr), because good runs have one block or more. 1 / (1 - blr) gives
        independent losses.

    Raises:
        ValueError: if one of them is out of range.
    """

    blr: float
    burst_length: float

    def __post_init__(self) -> None:
        _check_rate("block loss rate", self.blr)
        if self.blr == 1:
            raise ValueError("bursts need a block loss rate below 1")
        shortest = max(1.0, self.blr / (1 - self.blr))
        if not shortest <= self.burst_length < np.inf:
            raise ValueError(
                f"at a block loss rate of {self.blr} the mean burst length must be at least "
                f"{shortest:.4g}, not {self.burst_length}"
            )

    @property
    def leave_good(self) -> float:
        """Probability that a bad block follows a good one."""
        return min(1.0, self.blr / (1 - self.blr) / self.burst_length)

    def lost_blocks(
        self, blocks: np.ndarray, rng: np.random.Generator, state: State = None
    ) -> tuple[np.ndarray, State]:
        """Return the losses (packets,) of each packet's `blocks`, and whether they end in a burst.

        Packets that send nothing leave the state as it was.
        """
        ends = np.cumsum(blocks)
        span = int(ends[-1]) if len(ends) else 0
        if self.blr == 0 or span == 0:
            return np.zeros(len(blocks), dtype=np.int64), state
        starts, lengths = self._bursts(span, self._loses_first(state), rng)
        # Bad blocks before each packet's end: all bursts begun by then, less what is still to come.
        bursts_before = np.searchsorted(starts, ends)
        total = np.concatenate([[0], np.cumsum(lengths)])
        burst_ends = np.concatenate([[0], starts + lengths])
        lost = total[bursts_before] - np.maximum(burst_ends[bursts_before] - ends, 0)
        return np.diff(lost, prepend=0), bool(burst_ends[bursts_before[-1]] >= span)

    def _loses_first(self, state: State) -> float:
        """Return the probability that the next block is lost."""
        if state is None:
            return self.blr
        return 1 - 1 / self.burst_length if state else self.leave_good

    def _bursts(
        self, span: int, loses_first: float, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return starts and lengths of bursts until they cover `span` blocks."""
        mean_cycle = self.burst_length / self.blr
        starts: list[np.ndarray] = []
        lengths: list[np.ndarray] = []
        end = 0
        begins_bad = rng.random() < loses_first
        while end < span:
            count = int((span - end) / mean_cycle * 1.1) + 16
            good = rng.geometric(self.leave_good, count)
            bad = rng.geometric(1 / self.burst_length, count)
            if begins_bad and not starts:
                good[0] = 0
            ends = end + np.cumsum(good + bad)
            starts.append(ends - bad)
            lengths.append(bad)
            end = int(ends[-1])
        return np.concatenate(starts), np.concatenate(lengths)


@dataclass(frozen=True)
class PacketLoss:
    """Whole packets are lost with probability `plr` in [0, 1], whatever their size.

    The packets lost at one rate are among those lost at any higher rate with the same stream.
    """

    plr: float

    def __post_init__(self) -> None:
        _check_rate("packet loss rate", self.plr)

    def lost_blocks(
        self, blocks: np.ndarray, rng: np.random.Generator, state: State = None
    ) -> tuple[np.ndarray, State]:
        """Return all `blocks` of a lost packet, none of another, (packets,); no memory."""
        return np.where(rng.random(len(blocks)) < self.plr, blocks, 0), None


def _check_rate(name: str, rate: float) -> None:
    if not 0 <= rate <= 1:
        raise ValueError(f"the {name} must lie in [0, 1], not {rate}")


# --- simulation -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Transmission:
    """What became of each packet.

    lost: (packets,) bool, whether a block never arrived.
    attempts: (packets,) int64, blocks sent for the packet, retransmissions included.
    """

    lost: np.ndarray
    attempts: np.ndarray


def transmit(
    blocks: ArrayLike, channel: Channel, retransmissions: int, rng: np.random.Generator
) -> Transmission:
    """Send packets of `blocks` (packets,) blocks each; draw what the channel does to them.

    Lost blocks are sent again, at most n_r = `retransmissions` times each, after all packets and
    on the same link. Counts are drawn, not single blocks: the same distribution as block by block,
    for any packet size.
    """
    pending = np.asarray(blocks, dtype=np.int64)
    attempts = np.zeros_like(pending)
    state: State = None
    for _ in range(retransmissions + 1):
        if not pending.any():
            break
        attempts += pending
        pending, state = channel.lost_blocks(pending, rng, state)
    return Transmission(pending > 0, attempts)


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
