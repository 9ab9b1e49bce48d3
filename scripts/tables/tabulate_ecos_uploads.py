"""Tabulate ECOS before FbFTL at equal uplink: what counts buy that as many uploads do not.

Every row by counts is beside two others whose uplink is at least as long: uploads alone, and
uploads with a random purchase. Of each the shortest that is long enough is taken, so that what is
rounded is rounded in favour of the others.
"""

from typing import Any

import pandas as pd
from fbftl.findings.columns import DOWNLINK, FROZEN, PERCENT, SEED_COUNTS, accuracy, with_spread
from fbftl.findings.outsourcing import purchases
from fbftl.findings.runs import read_tidy
from fbftl.findings.tables import Column, ResultTable, prefixed

RIVALS = {"alone": "uploads alone", "random": "uploads, random purchase"}
"""Column names and headings of what is beside."""

COLUMNS = [
    Column("uploaders", "Clients that upload"),
    Column("aggregation", "Counts"),
    Column("sigma", "Noise σ", format="{:g}"),
    Column("own_share", "Own rows bought", format=PERCENT),
    *accuracy("Accuracy, ECOS and uploads"),
    Column("uplink_bits", "Uplink", "bits", prefixed),
    DOWNLINK,
    FROZEN,
    *(
        column
        for name, heading in RIVALS.items()
        for column in (
            Column(f"uploaders_{name}", f"Clients, {heading}", format="{:.0f}"),
            *with_spread(f"accuracy_{name}", f"Accuracy, {heading}", spread=f"spread_{name}"),
            Column(f"uplink_bits_{name}", f"Uplink, {heading}", "bits", prefixed),
        )
    ),
    *SEED_COUNTS,
]


def main(runs: str, axes: dict[str, Any]) -> ResultTable:
    """Return the table.

    Args:
        runs: tidy table of the experiment.
        axes: those of a purchase, with their defaults.
    """
    return ResultTable(at_equal_uplink(purchases(read_tidy(runs, axes))), COLUMNS)


def at_equal_uplink(table: pd.DataFrame) -> pd.DataFrame:
    """Return a row per setting that buys by counts, with those beside it.

    Args:
        table: a row per setting, see `purchases`.
    """
    counted = table[(table["purchase_rule"] == "ecos") & (table["purchase"] > 0)]
    others = {
        "alone": table[table["purchase"] == 0],
        "random": table[(table["purchase_rule"] == "random") & (table["purchase"] > 0)],
    }
    rows = []
    for row in counted.sort_values(["aggregation", "sigma", "uploaders"]).to_dict("records"):
        for name, rivals in others.items():
            beside = no_shorter(rivals, row["uplink_bits"])
            for column in ("uploaders", "accuracy", "spread", "uplink_bits"):
                row[f"{column}_{name}"] = beside[column]
        rows.append(row)
    return pd.DataFrame(rows)


def no_shorter(rivals: pd.DataFrame, bits: float) -> pd.Series:
    """Return the rival with the least uplink of at least so many bits; empty if there is none."""
    enough = rivals[rivals["uplink_bits"] >= bits].sort_values("uplink_bits")
    return enough.iloc[0] if len(enough) else pd.Series(None, rivals.columns, dtype=object)
