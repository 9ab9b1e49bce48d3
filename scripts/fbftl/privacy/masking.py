"""Masks of a model of secure aggregation with a trusted dealer: the server learns the sum alone.

Numbers become fixed point in the integers mod 2^w (`ground/ring.py` has which w suffices). Every
client shares a key with a dealer (the randomness server), and adds to its message a key stream of
that key and the number of the sum, of w bits a number. The dealer tells the server the sum of the
masks of those whose messages arrived; what is left is the exact sum of their fixed-point numbers,
whoever dropped out after masking.

Who can undo it: dealer and server together read every message; the server and all clients of a set
but one read the last one's, as with any sum. A client alone, or clients without the server, read
nothing. So sets of one are refused.

Numbers of a ring are uint64 here, of which the low w bits count: 2^w divides 2^64, so that sums of
whole words are right mod 2^w. Only the w bits are sent.

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
from fbftl.ground.ring import WORD_BITS, Ring, bits_of

KEY_BYTES = 32
NUMBER_BYTES = WORD_BITS // 8
LEAST_SUMMED = 2
"""Messages of which a sum shows none; no sum is told of fewer."""

WORD = Ring()
"""The ring of whole words, with 24 bits behind the point."""


def fixed_point(values: np.ndarray, ring: Ring = WORD) -> np.ndarray:
    """Return the whole numbers of steps nearest to values, int64 of the same shape.

    Raises:
        UserError: if a value is not finite, or no word holds its steps.
    """
    scaled = np.multiply(values, 2.0**ring.fraction_bits, dtype=np.float64)
    np.rint(scaled, out=scaled)
    largest = np.maximum(scaled.max(initial=0.0), -scaled.min(initial=0.0))
    if not largest < 2.0 ** (WORD_BITS - 1):
        raise UserError(
            f"a masked message holds a number of size {largest / 2.0**ring.fraction_bits:g}, "
            f"beyond the ring's {Ring(fraction_bits=ring.fraction_bits).end:g}; clip or scale what "
            "is sent"
        )
    return scaled.astype(np.int64)


def reach(steps: np.ndarray) -> int:
    """Return the largest size among whole numbers of steps (int64), 0 of none."""
    return max(int(steps.max(initial=0)), -int(steps.min(initial=0)))


def reduced(numbers: np.ndarray, ring: Ring) -> np.ndarray:
    """Return the low w bits of whole numbers, uint64: the same numbers of the ring."""
    words = numbers.view(np.uint64)
    return words if ring.bits == WORD_BITS else words & np.uint64(2**ring.bits - 1)


def to_ring(values: np.ndarray, ring: Ring = WORD) -> np.ndarray:
    """Return fixed-point numbers, uint64 of the same shape whose low w bits are two's complement.

    Raises:
        UserError: if a value is not finite, or beyond the ring's ends.
    """
    steps = fixed_point(values, ring)
    require_room(reach(steps), ring, 1)
    return reduced(steps, ring)


def from_ring(numbers: np.ndarray, ring: Ring = WORD) -> np.ndarray:
    """Return the float64 values of fixed-point numbers or of their sums mod 2^w."""
    return steps_of(numbers, ring) / 2.0**ring.fraction_bits


def steps_of(numbers: np.ndarray, ring: Ring = WORD) -> np.ndarray:
    """Return numbers of the ring as whole numbers of steps, int64 from -2^(w-1) on."""
    unused = WORD_BITS - ring.bits
    return (numbers << np.uint64(unused)).view(np.int64) >> np.int64(unused)


def require_room(steps: int, ring: Ring, members: int) -> None:
    """Refuse a sum that could leave the ring.

    Args:
        steps: bound on its size, in steps.
        ring: that is to hold it.
        members: numbers that it sums.

    Raises:
        UserError: naming both, and the bits that it would need.
    """
    if steps > ring.last:
        size = steps / 2.0**ring.fraction_bits
        raise UserError(
            f"a masked sum of {members:,} numbers, of size up to {size:g} together, can leave the "
            f"ring of {ring.bits} bits, which ends at ±{ring.end:g}: it would need "
            f"{bits_of(steps)}; clip what is sent, or use aggregation: open"
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
        return cls(derived(seed.to_bytes(8, "little"), b"dealer"))

    def key(self, client: int) -> bytes:
        """Return the key that is shared with one client, 32 bytes."""
        return derived(self.secret, b"client" + client.to_bytes(8, "little"))

    def sum_of_masks(
        self, clients: Sequence[int], sum_number: int, count: int, ring: Ring = WORD
    ) -> np.ndarray:
        """Return what unmasks a sum, (count,) uint64 below 2^w.

        Args:
            clients: those whose messages arrived.
            sum_number: which sum it is.
            count: numbers in a message.
            ring: that they are in.

        Raises:
            UserError: for a set of one, whose sum is the message itself.
        """
        if len(clients) < LEAST_SUMMED:
            raise UserError(
                f"sum {sum_number} has {len(clients)} message to sum, which a masked sum would "
                "show; let more clients take part, or use aggregation: open"
            )
        total = np.zeros(count, dtype=np.uint64)
        for client in clients:
            total += mask(self.key(client), sum_number, count, ring)
        return reduced(total, ring)


def mask(key: bytes, sum_number: int, count: int, ring: Ring = WORD) -> np.ndarray:
    """Return a client's mask in one sum: (count,) uint64 below 2^w, uniform without the key.

    Args:
        key: 32 bytes, shared with the dealer.
        sum_number: which sum it is, used once per key; it is the stream's nonce.
        count: numbers in the message.
        ring: that they are in; each takes the low bits of one word of the stream.

    Raises:
        UserError: if the key is missing or no key.
    """
    if len(key) != KEY_BYTES:
        raise UserError(
            f"a mask key has {len(key)} bytes instead of {KEY_BYTES}; have the dealer hand it out"
        )
    nonce = bytes(8) + sum_number.to_bytes(8, "little")
    stream = Cipher(ChaCha20(key, nonce), mode=None).encryptor()
    return reduced(np.frombuffer(stream.update(bytes(NUMBER_BYTES * count)), dtype="<u8"), ring)


def masked(
    values: np.ndarray, key: bytes, sum_number: int, width: int | None = None, ring: Ring = WORD
) -> np.ndarray:
    """Return the message of `values` (count,): uint64 below 2^w, uniform in the ring.

    Args:
        values: what is sent.
        key: 32 bytes, shared with the dealer.
        sum_number: which sum it is.
        width: numbers of the mask, one for each value if None. A mask of one number is added to
            every value, which hides nothing but their mean.
        ring: that they are in.
    """
    numbers = to_ring(values, ring)
    return reduced(
        numbers + mask(key, sum_number, len(numbers) if width is None else width, ring), ring
    )


def unmasked_sum(
    messages: Sequence[np.ndarray], masks: np.ndarray, ring: Ring = WORD
) -> np.ndarray:
    """Return the sum of what was masked, (count,) float64, exact in fixed point.

    Args:
        messages: (count,) each, those that arrived.
        masks: the dealer's sum of their masks, one for each value or one for all.
        ring: that they are in.
    """
    total = np.zeros_like(messages[0])
    for message in messages:
        total += message
    return from_ring(total - masks, ring)


def derived(secret: bytes, purpose: bytes) -> bytes:
    """Return a key that follows from a secret, another for every purpose (HKDF)."""
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=purpose).derive(secret)
