"""How large masked sums and memories can be, known before any job: for the plan and for jobs.

A bound is on the size of a sum whatever the signs of its parts: the sum of bounds on these.
"""

from fbftl.ground.ring import Ring, ring_for

LARGEST_NORMAL = 13.0
"""No normal number that is drawn here is larger.

NumPy's ziggurat draws the tail beyond r = 3.654 as r + x with x = -ln(u)/r and keeps it only if
2 · -ln(v) > x², where u and v are multiples of 2^-53: x² < 2 · 53 ln 2, so that r + x < 12.3.
"""

SINGLE_PRECISION = 2.0**-10
"""Share by which float32 may overshoot a bound.

Clipping rounds by a few units of 2^-24, and a sum of up to 8,192 rows, which is what float32 adds
up at once, by 2^-11 of the sum of their sizes at most.
"""


def statistics_bound(rows: int, clip_norm: float = 1.0, second_moments: bool = True) -> float:
    """Return the bound on counts, sums and second moments of rows clipped to c: n max(1, c, c²).

    Args:
        rows: rows of all clients n.
        clip_norm: c; one where rows are scaled by it, as under the gaussian mechanism.
        second_moments: whether they are among the numbers.
    """
    most = max(1.0, clip_norm, clip_norm**2 if second_moments else 0.0)
    return rows * most * (1 + SINGLE_PRECISION)


def counts_bound(rows: int) -> float:
    """Return the bound on how many rows are in a cluster: all of them."""
    return float(rows)


def updates_bound(rows: int, clip_norm: float, noise_std: float) -> float:
    """Return the bound on updates weighted by their clients' rows: n (c + 13 std).

    Args:
        rows: rows of all clients of a round n.
        clip_norm: L2 clip norm c of an update.
        noise_std: standard deviation of the noise on every number of an update.
    """
    return rows * (clip_norm + LARGEST_NORMAL * noise_std) * (1 + SINGLE_PRECISION)


def noise_bound(std: float) -> float:
    """Return the bound on Gaussian noise of a standard deviation."""
    return LARGEST_NORMAL * std


def summing_ring(
    bound: float | None, members: int, fraction_bits: int, noise_std: float | None = None
) -> Ring:
    """Return the ring of a secure sum with noise on it.

    Args:
        bound: on the sum without the noise; None where nothing bounds it.
        members: clients that take part at most.
        fraction_bits: bits behind the point.
        noise_std: standard deviation of the noise on the sum; None for none.

    Raises:
        UserError: if it would have more bits than a word, naming them.
    """
    largest = None if bound is None else bound + noise_bound(noise_std or 0.0)
    return ring_for(largest, members + 1, fraction_bits)


LARGEST_MEMORY = 4 * 2**30
"""Bytes that the memories of all clients may take in RAM."""


def memory_bytes(clients: int, width: int) -> int:
    """Return what the memories of all clients take together, one float32 per parameter."""
    return 4 * clients * width
