"""Single numbers of a paper's formulas, by the name under which pages take them.

`docs/results/papers/fbftl/tables/methods.csv` has what the paper's equations give for its own
networks. Pages take ratios of it: ``papers/fbftl/total_uplink/ftl_c over fbftl``.
"""

from collections.abc import Mapping, Sequence

READING = "as printed"
"""Of the readings of an equation the one that the names stand for."""

BASE = "fbftl"
"""The method that all others are divided by."""


def ratios(paper: str, table: Sequence[Mapping[str, str]]) -> dict[str, float]:
    """Return each method's quantities over those of `BASE`, by name.

    Args:
        paper: its word.
        table: rows with a `quantity`, a `method`, a `reading` and the `exact` number.
    """
    exact = {
        (row["quantity"], row["method"]): float(row["exact"])
        for row in table
        if row["reading"] == READING and row["exact"]
    }
    return {
        f"papers/{paper}/{quantity}/{method} over {BASE}": value / exact[quantity, BASE]
        for (quantity, method), value in exact.items()
        if method != BASE and exact.get((quantity, BASE))
    }
