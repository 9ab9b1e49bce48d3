"""Tabulate what ECOS and other choices buy of a cloud: own rows, accuracy, privacy, bits."""

from typing import Any

from fbftl.findings.columns import DOWNLINK, FROZEN, PERCENT, SEED_COUNTS, accuracy, with_spread
from fbftl.findings.outsourcing import CHOICES, epsilons, purchases
from fbftl.findings.runs import read_tidy
from fbftl.findings.tables import Column, ResultTable, prefixed

COLUMNS = [
    Column("name", "Choice", page=True),
    Column("purchase_allocation", "Shared out", page=True),
    Column("centroids", "Centroids R", format="{:.0f}"),
    Column("sigma", "Noise σ", format="{:g}", page=True),
    Column("score_power", "Power s", format="{:g}"),
    Column("bits", "Bits of a score", format="{:.0f}"),
    Column("label_source", "Labels", page=True),
    Column("purchase_purpose", "Purpose"),
    Column("purchase", "Purchase B", page=True),
    Column("bought", "Rows bought", format="{:.0f}"),
    *with_spread("own_share", "Own rows", page=True),
    Column("own_least", "Own rows in the worst seed", format=PERCENT),
    Column("inherent_share", "Own rows in the cloud", format=PERCENT),
    Column("labelled", "Rows labelled", format="{:.0f}"),
    Column("label_accuracy", "Labels that are right", format=PERCENT),
    *accuracy(),
    Column("epsilon_added", "ε, row added", format="{:.4f}", page=True),
    Column("epsilon_replaced", "ε, row replaced", format="{:.4f}"),
    Column("uplink_bits", "Uplink", "bits", prefixed),
    DOWNLINK,
    FROZEN,
    *SEED_COUNTS,
]


def main(runs: str, guarantees: str, axes: dict[str, Any]) -> ResultTable:
    """Return the table.

    Args:
        runs: tidy table of the experiment.
        guarantees: what its runs guarantee.
        axes: those of a purchase, with their defaults.
    """
    table = purchases(read_tidy(runs, axes))
    table = table.merge(epsilons(read_tidy(guarantees, axes)), on="setting", how="left")
    table["name"] = table["purchase_rule"].map(lambda choice: CHOICES[choice][0])
    shared = table["purchase_rule"] == "ecos"
    for axis in ("purchase_allocation", "score_power", "bits"):
        table[axis] = table[axis].where(shared)
    return ResultTable(table, COLUMNS)
