"""What networks of every width count on the thesis's own architectures (ch. 4), in closed form.

Table 4.1 counts a network in use; Fig. 4.5 counts what a client multiplies in a step of training.
There a client of SHeteroFL trains every slice up to its budget, one after the other, and a client
of Split-Mix as many bases as fit. A step back multiplies twice as much as the way forward in all of
them, so that ratios are those of the way forward.
"""

from fractions import Fraction
from statistics import fmean

from fbftl.models.cost.architectures import TABLE_4_1
from fbftl.models.cost.layers import parameters, products
from fbftl.study.widths import GROUPS

BASE = Fraction(1, 8)
"""Width of a base, and of the narrowest slice."""

SPLITMIX, SHETEROFL = "Split-Mix", "SHeteroFL"
"""Methods as Table 4.1 calls them."""

MULTIPLICATIONS = "multiplications"

COUNTS = {"parameters": parameters, MULTIPLICATIONS: products}
"""What Table 4.1 has of every network."""

BUDGETS = GROUPS["exponential"]
"""Widths that quarters of the clients can train (Sec. 4.3)."""


def counted(data: str, method: str, width: float | Fraction, quantity: str) -> int:
    """Return the exact parameters or multiplications of a data set's network at a width.

    Args:
        data: as Table 4.1 calls it.
        method: a mixture of Split-Mix has as many bases as fit; all others have one network.
        width: share of the whole network's units.
        quantity: parameters, or multiplications of one image's way forward.
    """
    network, share, count = TABLE_4_1[data], Fraction(width), COUNTS[quantity]
    if method == SPLITMIX:
        return int(share / BASE) * count(network(BASE))
    return count(network(share))


def trained_by_client(data: str, method: str) -> float:
    """Return the multiplications of a step of training, for each image forward, mean over clients.

    Args:
        data: as Table 4.1 calls it; its network is counted.
        method: SHeteroFL or Split-Mix.
    """
    widths_of_quarters = [
        [width for width in BUDGETS if width <= budget] if method == SHETEROFL else [budget]
        for budget in BUDGETS
    ]
    return fmean(
        sum(counted(data, method, width, MULTIPLICATIONS) for width in widths)
        for widths in widths_of_quarters
    )
