"""Bytes of a secure sum without a dealer, in closed form: as it is built, and by lattices.

Replicated seeds (`privacy/replicated.py`) leave a client's message as long as its numbers, and have
members answer with C(n, k - 1) vectors. A seed-homomorphic generator by learning with rounding
(LWR, as OPA has it, arXiv 2410.22303) has them answer with sums of shares of the seeds instead,
which are as short however long the vectors are; its numbers are longer, since each client's stream
is rounded, and its seeds are vectors. It is not built; here are its bytes, headers left out.

The lattice's parameters are chosen here, not OPA's, which packs several numbers into one share: a
number has one bit more than the ring and a bit for every doubling of the clients, so that their
rounding stays below half a step; the modulus q has four more, so that rounding is a noise of
deviation 16/√12; and the seed's length is the least that the Homomorphic Encryption Standard (2018,
Table 1, uniform secrets) gives 128 bits of security at that modulus.
"""

from dataclasses import dataclass
from math import comb

KEY_BYTES, TAG_BYTES, PUBLIC_BYTES = 32, 16, 32

ROUNDED_BITS = 4
"""Bits of the modulus that rounding drops."""

LARGEST_MODULUS = {1024: 29, 2048: 56, 4096: 111, 8192: 220, 16384: 440}
"""Bits of the largest modulus by the length of the secret."""


@dataclass(frozen=True)
class SumBytes:
    """Bytes of one sum.

    vector: a client's numbers under their mask.
    beside: what its message has beside them.
    answers: what all members together answer.
    """

    vector: int
    beside: int
    answers: int

    @property
    def client(self) -> int:
        """A client's whole message."""
        return self.vector + self.beside


def replicated(numbers: int, ring_bits: int, members: int, threshold: int) -> SumBytes:
    """Return the bytes of a sum by replicated seeds.

    Args:
        numbers: d, of a message.
        ring_bits: w, of a number.
        members: n of the committee.
        threshold: k of them.
    """
    seeds = comb(members - 1, threshold - 1)
    vector = _bytes(ring_bits * numbers)
    return SumBytes(
        vector=vector,
        beside=PUBLIC_BYTES + members * (KEY_BYTES * seeds + TAG_BYTES),
        answers=comb(members, threshold - 1) * vector,
    )


def by_rounding(
    numbers: int, ring_bits: int, clients: int, members: int, threshold: int
) -> SumBytes:
    """Return the bytes of a sum by learning with rounding; arguments as above.

    Args:
        clients: that may send, whose rounding adds up.

    Raises:
        ValueError: if the table has no secret that is long enough.
    """
    number_bits = ring_bits + 1 + (clients - 1).bit_length()
    modulus = number_bits + ROUNDED_BITS
    length = next((n for n, bits in LARGEST_MODULUS.items() if bits >= modulus), None)
    if length is None:
        raise ValueError(f"no secret of the table has a modulus of {modulus} bits")
    share = _bytes(length * modulus)
    return SumBytes(
        vector=_bytes(number_bits * numbers),
        beside=PUBLIC_BYTES + members * (share + TAG_BYTES),
        answers=threshold * share,
    )


def _bytes(bits: int) -> int:
    return -(-bits // 8)
