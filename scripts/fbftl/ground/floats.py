"""The floats that are computed with, sent and counted, and ratios of them as they are written."""

from fractions import Fraction

FLOAT32, BFLOAT16 = "float32", "bfloat16"
"""How extractors compute, as `features.compute` says: plain float32, operator by operator; float32
weights with products in bfloat16."""

FLOAT_BITS = 32
"""d: bits of one number that is sent as it is."""

FLOAT_BYTES = FLOAT_BITS // 8


def as_written(ratio: float) -> Fraction:
    """Return the decimal number that the config writes for a ratio.

    ⌈0.07 · 100⌉ is 7 with it, although 0.07 * 100 is a little more than 7 in binary.
    """
    return Fraction(repr(float(ratio)))
