"""Secure sums: what clients send is masked, and the server learns the sum alone.

Numbers become fixed point in the ring of integers mod 2^64. Every client shares a key with a
dealer (the randomness server), and adds to its message a key stream of that key and the round. The
dealer tells the server the sum of the masks of those whose messages arrived; what is left is the
exact sum of their fixed-point numbers, whoever dropped out after masking.

Who can undo it: dealer and server together read every message; the server and all clients of a set
but one read the last one's, as with any sum. A client alone, or clients without the server, read
nothing. So sets of one are refused.

A study derives the dealer's secret from the seed, so that its messages repeat; a deployment draws
it with `secrets.token_bytes`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from fbftl.ground.errors import UserError

FRACTION_BITS = 24
"""Bits behind the point: numbers are rounded to multiples of 2^-24."""

KEY_BYTES = 32
NUMBER_BYTES = 8


def to_ring(values: np.ndarray) -> np.ndarray:
    """Return fixed-point numbers, uint64 in two's complement, of the same shape.

    Raises:
        UserError: if a value is not finite or beyond ±2^39, where the ring ends.
    """
    scaled = np.multiply(values, 2.0**FRACTION_BITS, dtype=np.float64)
    np.rint(scaled, out=scaled)
    largest = np.maximum(scaled.max(initial=0.0), -scaled.min(initial=0.0))
    if not largest < 2.0**63:
        raise UserError(
            f"a masked message holds a number of size {largest / 2.0**FRACTION_BITS:g}, beyond the "
            "ring's 2^39; clip or scale what is sent"
        )
    return scaled.astype(np.int64).view(np.uint64)


def from_ring(numbers: np.ndarray) -> np.ndarray:
    """Return the float64 values of fixed-point numbers or of their sums mod 2^64."""
    return numbers.view(np.int64) / 2.0**FRACTION_BITS


def require_room(largest: float, members: int) -> None:
    """Refuse, before any job, a sum that could leave the ring.

    Args:
        largest: bound on the size of a single number.
        members: messages that a sum has at most.

    Raises:
        UserError: naming both.
    """
    if largest * members >= 2.0 ** (63 - FRACTION_BITS):
        raise UserError(
            f"a masked sum of {members:,} numbers of size up to {largest:g} can leave the ring's "
            "±2^39; clip what is sent, or use aggregation: open"
        )


@dataclass(frozen=True)
class Dealer:
    """The party that shares a key with every client and tells sums of masks.

    secret: 32 bytes that no other party knows.
    """

    secret: bytes

    @classmethod
    def of_study(cls, seed: int) -> "Dealer":
        """Return a study's dealer, whose secret repeats with the seed."""
        return cls(_derived(seed.to_bytes(8, "little"), b"dealer"))

    def key(self, client: int) -> bytes:
        """Return the key that is shared with one client, 32 bytes."""
        return _derived(self.secret, b"client" + client.to_bytes(8, "little"))

    def sum_of_masks(self, clients: Sequence[int], turn: int, count: int) -> np.ndarray:
        """Return what unmasks a round, (count,) uint64.

        Args:
            clients: those whose messages arrived.
            turn: the round.
            count: numbers in a message.

        Raises:
            UserError: for a set of one, whose sum is the message itself.
        """
        if len(clients) < 2:
            raise UserError(
                f"round {turn} has {len(clients)} message to sum, which a masked sum would show; "
                "let more clients take part, or use aggregation: open"
            )
        total = np.zeros(count, dtype=np.uint64)
        for client in clients:
            total += mask(self.key(client), turn, count)
        return total


def mask(key: bytes, turn: int, count: int) -> np.ndarray:
    """Return a client's mask in one round: (count,) uint64, uniform to whoever lacks the key.

    Args:
        key: 32 bytes, shared with the dealer.
        turn: the round, used once per key; it is the stream's nonce.
        count: numbers in the message.

    Raises:
        UserError: if the key is missing or no key.
    """
    if len(key) != KEY_BYTES:
        raise UserError(
            f"a mask key has {len(key)} bytes instead of {KEY_BYTES}; have the dealer hand it out"
        )
    nonce = bytes(8) + turn.to_bytes(8, "little")
    stream = Cipher(ChaCha20(key, nonce), mode=None).encryptor()
    return np.frombuffer(stream.update(bytes(NUMBER_BYTES * count)), dtype="<u8")


def masked(values: np.ndarray, key: bytes, turn: int, width: int | None = None) -> np.ndarray:
    """Return the message of `values` (count,): uint64, uniform in the ring.

    Args:
        values: what is sent.
        key: 32 bytes, shared with the dealer.
        turn: the round.
        width: numbers of the mask, one for each value if None. A mask of one number is added to
            every value, which hides nothing but their mean.
    """
    numbers = to_ring(values)
    numbers += mask(key, turn, len(numbers) if width is None else width)
    return numbers


def unmasked_sum(messages: Sequence[np.ndarray], masks: np.ndarray) -> np.ndarray:
    """Return the sum of what was masked, (count,) float64, exact in fixed point.

    Args:
        messages: (count,) each, those that arrived.
        masks: the dealer's sum of their masks, one for each value or one for all.
    """
    total = np.zeros_like(messages[0])
    for message in messages:
        total += message
    return from_ring(total - masks)


def _derived(secret: bytes, purpose: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=purpose).derive(secret)
