"""The floats that are sent and counted."""

FLOAT_BITS = 32
"""d: bits of one number that is sent as it is."""

FLOAT_BYTES = FLOAT_BITS // 8
