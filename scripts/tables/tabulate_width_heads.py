"""Tabulate heads of several widths on cached features: what they can do and what they send."""

from typing import Any

from fbftl.findings.columns import METHOD, PERCENT, SEED_COUNTS, accuracy
from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.shown import labelled
from fbftl.findings.tables import Column, ResultTable, prefixed

COLUMNS = [
    METHOD,
    Column("budget_order", "Budgets", format=lambda order: order.replace("_", " ")),
    *accuracy(),
    Column("narrowest", "Accuracy at the narrowest", format=PERCENT),
    Column("uplink", "Uplink", "bits", prefixed),
    Column("downlink", "Downlink", "bits", prefixed),
    *SEED_COUNTS,
]
"""Bits are of all rounds up to the selected one; the extractor, sent once, is not among them."""


def main(runs: str, methods: list[dict[str, Any]], axes: dict[str, Any]) -> ResultTable:
    """Return the table.

    Args:
        runs: tidy table of the experiment.
        methods: the methods of the runs, in the order of the rows.
        axes: the axes in which a run deviates, with their defaults.
    """
    table, keys = read_tidy(runs, axes), ["method", "budget_order"]
    rows = mean_and_spread(table, keys)
    narrowest = min(column for column in table if column.startswith("accuracy_x"))
    measures = {"narrowest": narrowest, "uplink": "uplink_bits", "downlink": "downlink_bits"}
    for name, column in measures.items():
        means = table.groupby(keys)[column].mean().rename(name)
        rows = rows.merge(means, how="left", on=keys)
    rows = labelled(rows, methods, keys)
    # Whoever has no budgets has no order of them.
    rows["budget_order"] = rows["budget_order"].where(rows["narrowest"].notna(), "")
    return ResultTable(rows, COLUMNS)
