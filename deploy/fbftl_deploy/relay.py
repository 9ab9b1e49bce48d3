"""A lossy link for real: encoded messages cross the loopback as datagrams, one for each block.

A relay between sender and receiver drops blocks, each alone or in bursts (Gilbert-Elliott), and
lets no more pass in a second than its rate. Lost blocks are sent again after all others, as in
`messages/channel.py`, which says what of this is to be expected. Without Flower: it speaks TCP,
where loss only delays. A datagram has the number of its message, of its block, and of all blocks.
"""

import secrets
import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

LOOPBACK = "127.0.0.1"
HEADER = struct.Struct("<QIII")
"""Word of the crossing; number of the message, of the block, and how many blocks it has."""

LARGEST_BLOCK = 60_000
"""Bytes that a datagram of the loopback holds with its header."""

SOCKET_BYTES = 2**22
QUIET_SECONDS = 0.3
"""Without a datagram for so long, nothing is on its way any more."""

IN_FLIGHT = 64
"""Datagrams that are sent before the sender looks whether they came through or were dropped: no
buffer of the kernel overflows, so that only the relay loses any."""

Dropping = Callable[[], bool]
"""Whether the next block on the link is lost."""


def independently(rate: float, random: np.random.Generator) -> Dropping:
    """Return the loss of each block alone with probability `rate`."""
    return lambda: bool(random.random() < rate)


def in_bursts(rate: float, burst_length: float, random: np.random.Generator) -> Dropping:
    """Return the loss of blocks in bursts, state by state: see `messages.channel.BurstLoss`.

    Args:
        rate: mean share of blocks that are lost, below 1.
        burst_length: mean number of blocks lost in a row.
        random: where states are drawn from.
    """
    leave_good = min(1.0, rate / (1 - rate) / burst_length)
    bad = bool(random.random() < rate)
    first = True

    def dropped() -> bool:
        nonlocal bad, first
        if not first:
            bad = bool(random.random() < (1 - 1 / burst_length if bad else leave_good))
        first = False
        return bad

    return dropped


class _Listener:
    """A port of its own and a thread that takes what comes to it; an empty datagram ends that."""

    def __enter__(self) -> Self:
        self._socket = bound()
        self.port: int = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ending:
            ending.sendto(b"", (LOOPBACK, self.port))
        self._thread.join()
        self._socket.close()

    def _listen(self) -> None:
        raise NotImplementedError


@dataclass
class Relay(_Listener):
    """A relay from a port of its own to a receiver's, in a thread of its own.

    target: port of the receiver.
    dropping: which blocks are lost.
    bits_per_second: of the link; None for as fast as it goes.
    """

    target: int
    dropping: Dropping
    bits_per_second: float | None = None
    passed: int = 0
    dropped: int = 0
    airtime: float = 0.0
    """Seconds that the link was busy, lost blocks among them."""

    @property
    def seen(self) -> int:
        """Blocks that have come to the relay so far."""
        return self.passed + self.dropped

    def _listen(self) -> None:
        started = time.monotonic()
        while datagram := self._socket.recv(2**16):
            if self.bits_per_second is not None:
                self.airtime += 8 * (len(datagram) - HEADER.size) / self.bits_per_second
                wait = started + self.airtime - time.monotonic()
                if wait > 0:
                    time.sleep(wait)
            if self.dropping():
                self.dropped += 1
                continue
            self._socket.sendto(datagram, (LOOPBACK, self.target))
            self.passed += 1


@dataclass(frozen=True)
class Crossing:
    """What became of some messages.

    messages: those that arrived whole, None for the others.
    blocks: n_b of each.
    attempts: blocks sent for each, retransmissions included.
    airtime: seconds that the link was busy; 0 without a rate.
    """

    messages: list[bytes | None]
    blocks: np.ndarray
    attempts: np.ndarray
    airtime: float

    @property
    def arrived(self) -> np.ndarray:
        """Which messages arrived (n,)."""
        return np.array([message is not None for message in self.messages])

    @property
    def lost_packets(self) -> float:
        """Share of messages that did not arrive."""
        return float(1 - self.arrived.mean())


@dataclass
class _Receiver(_Listener):
    """Takes blocks in a thread of its own.

    word: of the crossing; other datagrams are not looked at.
    """

    word: int
    taken: dict[tuple[int, int], bytes] = field(default_factory=dict)
    count: int = 0

    def _listen(self) -> None:
        while datagram := self._socket.recv(2**16):
            if len(datagram) <= HEADER.size:
                continue
            word, message, block, _ = HEADER.unpack_from(datagram)
            if word == self.word:
                self.taken[message, block] = datagram[HEADER.size :]
                self.count += 1


def cross(
    messages: Sequence[bytes],
    block_bytes: int,
    dropping: Dropping,
    retransmissions: int = 0,
    bits_per_second: float | None = None,
) -> Crossing:
    """Send messages over a lossy link on the loopback, one packet each.

    Args:
        messages: encoded.
        block_bytes: bytes of a block; the last of a message may be shorter.
        dropping: which blocks are lost.
        retransmissions: n_r, times that a lost block is sent again at most, after all packets.
        bits_per_second: of the link; None for as fast as it goes.

    Raises:
        ValueError: if a block is longer than a datagram, or a message has none.
    """
    if not 0 < block_bytes <= LARGEST_BLOCK or not all(messages):
        raise ValueError(f"blocks have 1 to {LARGEST_BLOCK} bytes, and messages one at least")
    parts = [
        [message[first : first + block_bytes] for first in range(0, len(message), block_bytes)]
        for message in messages
    ]
    blocks = np.array([len(of_message) for of_message in parts])
    attempts = np.zeros_like(blocks)
    pending = [(m, b) for m, of_message in enumerate(parts) for b in range(len(of_message))]
    word = secrets.randbits(64)
    with (
        _Receiver(word) as receiver,
        Relay(receiver.port, dropping, bits_per_second) as relay,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
    ):
        sent = 0
        for _ in range(retransmissions + 1):
            for message, block in pending:
                header = HEADER.pack(word, message, block, len(parts[message]))
                sender.sendto(header + parts[message][block], (LOOPBACK, relay.port))
                attempts[message] += 1
                sent += 1
                if sent % IN_FLIGHT == 0:
                    _settle(relay, receiver, sent)
            _settle(relay, receiver, sent)
            pending = [where for where in pending if where not in receiver.taken]
        taken, airtime = receiver.taken, relay.airtime
    whole = [
        b"".join(taken[m, b] for b in range(len(of_message)))
        if all((m, b) in taken for b in range(len(of_message)))
        else None
        for m, of_message in enumerate(parts)
    ]
    return Crossing(whole, blocks, attempts, airtime)


def _settle(relay: Relay, receiver: _Receiver, sent: int) -> None:
    """Wait until every block that was sent has been dropped or taken."""
    quiet_since, before = time.monotonic(), -1
    while relay.seen < sent or receiver.count < relay.passed:
        now = relay.seen + receiver.count
        if now != before:
            quiet_since, before = time.monotonic(), now
        elif relay.bits_per_second is None and time.monotonic() - quiet_since > QUIET_SECONDS:
            return
        time.sleep(0)


def bound() -> socket.socket:
    """Return a datagram socket at a free port of the loopback."""
    taking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    taking.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SOCKET_BYTES)
    taking.bind((LOOPBACK, 0))
    return taking
