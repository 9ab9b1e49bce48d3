"""The ring that holds a sum of fixed-point numbers, and the smallest one that does.

With f bits behind the point, a number x is the whole number of steps 2^-f nearest to it. Steps are
added in the integers mod 2^w, in two's complement: a sum is what it decodes to as long as its size
is below 2^(w-1) steps. So w follows from a bound on the sum, which is known before any message is
made where what is summed is clipped or counted. Without such a bound numbers have a whole word.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fbftl.ground.errors import UserError
from fbftl.ground.floats import FLOAT_BITS

WORD_BITS = 64
"""Bits of a number whose sum nothing bounds, and the most that a number may have."""

FRACTION_BITS = 24
"""Bits behind the point by default."""

UNBOUNDED = "Nothing bounds a number before it is sent, so that every number has a whole word."


@dataclass(frozen=True)
class Ring:
    """The integers mod 2^bits, as they hold numbers of fixed point.

    bits: w, of every number that is sent.
    fraction_bits: f, those behind the point.
    largest: bound on the size of a sum that the ring was made for; None where nothing bounds it.
    """

    bits: int = WORD_BITS
    fraction_bits: int = FRACTION_BITS
    largest: float | None = None

    @property
    def last(self) -> int:
        """The largest size of a sum, in steps: 2^(w-1) - 1 of either sign."""
        return 2 ** (self.bits - 1) - 1

    @property
    def end(self) -> float:
        """The size, in numbers, at which the ring ends: 2^(w-1-f)."""
        return 2.0 ** (self.bits - 1 - self.fraction_bits)

    def floats(self, count: int) -> float:
        """Return what so many numbers take, in floats of 32 bits; a binary fraction, exact."""
        return self.bits * count / FLOAT_BITS

    def message_bytes(self, count: int) -> int:
        """Return the bytes of so many numbers, packed without gaps."""
        return (self.bits * count + 7) // 8

    @property
    def record(self) -> dict[str, Any]:
        """What a run file says of the ring: two measures, and all of it in words."""
        words = UNBOUNDED
        if self.largest is not None:
            words = (
                f"A sum is at most {self.largest:g} in size, known before it is sent: "
                f"{self.bits} bits hold it with {self.fraction_bits} behind the point."
            )
        return {
            "ring_bits": self.bits,
            "largest_sum": self.largest,
            "ring": {"bits": self.bits, "fraction_bits": self.fraction_bits, "note": words},
        }


def bits_for(largest: float, members: int, fraction_bits: int) -> int:
    """Return the bits w of the smallest ring that holds a sum and all its parts.

    Each of the members is rounded to the nearest step, which adds half a step to its size at most.

    Args:
        largest: bound on the size of the sum, of whatever sign its members are: the sum of the
            bounds on the sizes of its members.
        members: numbers that are added up, noise among them.
        fraction_bits: f, bits behind the point.
    """
    steps = Fraction(largest) * 2**fraction_bits + Fraction(members, 2)
    return bits_of(int(steps))


def bits_of(steps: int) -> int:
    """Return the bits of the smallest ring that holds a size of so many steps, of either sign."""
    return 1 + max(1, steps.bit_length())


def ring_for(largest: float | None, members: int, fraction_bits: int = FRACTION_BITS) -> Ring:
    """Return the smallest ring that holds a sum; a whole word where nothing bounds the sum.

    Args:
        largest: see `bits_for`; None where nothing bounds it.
        members: numbers that are added up, noise among them.
        fraction_bits: f, bits behind the point.

    Raises:
        UserError: if it would have more bits than a word, naming them.
    """
    if largest is None:
        return Ring(fraction_bits=fraction_bits)
    bits = bits_for(largest, members, fraction_bits)
    if bits > WORD_BITS:
        raise UserError(
            f"masked sums of size up to {largest:,.6g} with {fraction_bits} bits behind the point "
            f"need a ring of {bits} bits, where numbers have {WORD_BITS} at most; give fewer "
            "fraction_bits, clip what is sent, or use aggregation: open"
        )
    return Ring(bits, fraction_bits, float(largest))
