"""Widths: how many of a network's units there are, and which client can train how many.

A width is a share of the units of every hidden layer. Widths are counted in units of the narrowest,
the base: of M_b = 1 / r bases a width of n / M_b takes n. Budgets are the widths that clients can
train (paper thesis, Sec. 4.3 and C.1.5); as printed, ``R_k = (1/2)^⌈4k/K⌉``, the last quarter of
the clients could not train the narrowest network (audit row A22).

================  =================================================================================
``exponential``   quarters of the clients have widths 1, 1/2, 1/4 and 1/8
``rich``          half of them 1, half 1/2
``steps``         quarters 1, 3/4, 1/2 and 1/4
``uniform``       every number of bases equally often
``lognormal``     quantiles of a log-normal law around 0.45, cut to one base and to 1
``ln0.5_0.4``     the released one: spread 0.5, median 0.4, given that a base fits; rounded down
``8-2-1-1``       the released one: quarters 1, 1, 1/2 and 1/8
``full``          everyone 1: no budget at all
================  =================================================================================
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any, Literal

from fbftl.ground.errors import UserError

GROUPS = {
    "exponential": (1, Fraction(1, 2), Fraction(1, 4), Fraction(1, 8)),
    "rich": (1, Fraction(1, 2)),
    "steps": (1, Fraction(3, 4), Fraction(1, 2), Fraction(1, 4)),
    "full": (1,),
    "8-2-1-1": (1, 1, Fraction(1, 2), Fraction(1, 8)),
}
"""Widths of equal groups of clients, in their order."""

MEDIAN, SPREAD = 0.45, 0.5
"""Of the log-normal law: the median is the thesis's, the spread of the logarithm is ours."""

RELEASED_MEDIAN = 0.4
"""Of the public code's log-normal law, whose spread is `SPREAD` too."""

Law = Literal[
    "exponential", "rich", "steps", "full", "8-2-1-1", "uniform", "lognormal", "ln0.5_0.4"
]
"""Every law of budgets."""


def bases_in(width: float) -> int:
    """Return M_b, how many bases of a width make the whole network.

    Raises:
        UserError: if they make none.
    """
    bases = round(1 / width)
    if not math.isclose(bases * width, 1):
        raise UserError(
            f"width is {width}, of which no whole number makes the whole network; give 1 / n, "
            f"as {1 / bases:g}"
        )
    return bases


def served(bases: int) -> list[int]:
    """Return the widths that are evaluated, in bases: 1, 2, 4, ... and all of them."""
    return [2**power for power in range(bases.bit_length()) if 2**power < bases] + [bases]


def narrowed(network: Mapping[str, Any], share: Fraction | float) -> dict[str, Any]:
    """Return the block of a network with a share of the units of every hidden layer.

    Args:
        network: as the configuration names it.
        share: width, above 0 and at most 1.

    Raises:
        UserError: if a layer has no whole number of units.
    """
    exact = Fraction(share).limit_denominator(10_000)

    def units(width: int) -> int:
        if (width * exact).denominator != 1:
            raise UserError(
                f"a layer of {width} units has no whole number of them at width {exact}; give the "
                f"network widths that are multiples of {exact.denominator}"
            )
        return int(width * exact)

    parts: dict[str, list[Any]] = {"fc": [units(width) for width in network["fc"]]}
    if "channels" in network:
        parts["channels"] = [[units(width) for width in block] for block in network["channels"]]
    return dict(network) | parts


def budgets(law: str, clients: int, bases: int) -> list[int]:
    """Return how many bases each client can train, the first clients the most.

    Args:
        law: its name.
        clients: number of clients K.
        bases: M_b.

    Raises:
        UserError: if a client can train none.
    """
    shares = _shares(law, clients, bases)
    counts = [int(share * bases + 1e-9) for share in shares]
    if 0 in counts:
        raise UserError(
            f"budgets {law} let clients train a width of {float(min(shares)):g}, but a base has "
            f"{1 / bases:g}; give narrower bases or other budgets"
        )
    return counts


def _shares(law: str, clients: int, bases: int) -> Sequence[Fraction | float]:
    if law == "uniform":
        return [1 - Fraction(bases * k // clients, bases) for k in range(clients)]
    if law == "lognormal":
        normal = NormalDist(math.log(MEDIAN), SPREAD)
        wide = [math.exp(normal.inv_cdf(1 - (k + 0.5) / clients)) for k in range(clients)]
        return [min(1.0, max(1 / bases, width)) for width in wide]
    if law == "ln0.5_0.4":
        return [Fraction(n, bases) for n in _truncated_lognormal(clients, bases)]
    groups = GROUPS[law]
    return [groups[len(groups) * k // clients] for k in range(clients)]


def _truncated_lognormal(clients: int, bases: int) -> list[int]:
    """Return the bases of each client by the released law, the largest first.

    A client has n bases at least if its place, from the poorest, is not below the law's share of
    widths under n / M_b, given that one base fits.
    """
    normal = NormalDist(math.log(RELEASED_MEDIAN), SPREAD)
    below = [normal.cdf(math.log(n / bases)) for n in range(1, bases + 1)]
    first = [int(clients * (share - below[0]) / (1 - below[0])) for share in below]
    return [sum(position >= start for start in first) for position in reversed(range(clients))]


def spread_over(domains: Sequence[int], budget: Sequence[int]) -> list[int]:
    """Return the budgets dealt to clients so that every domain gets its share of each.

    Args:
        domains: of each client.
        budget: those of all clients, the largest first.
    """
    seen: dict[int, int] = {}
    turns = []
    for client, domain in enumerate(domains):
        seen[domain] = seen.get(domain, -1) + 1
        turns.append((seen[domain], domain, client))
    by_client = dict(zip((client for _, _, client in sorted(turns)), budget, strict=True))
    return [by_client[client] for client in range(len(domains))]
