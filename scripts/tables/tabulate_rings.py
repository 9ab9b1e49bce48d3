"""Tabulate the bits that masked numbers need: of the smallest ring of a sum, beside a whole word.

Where nothing bounds a sum there is no smaller ring, and the row says so.
"""

from typing import Any

import pandas as pd
from fbftl.findings.columns import EPSILON, PERCENT, SEED_COUNTS, accuracy
from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.tables import Column, ResultTable, prefixed
from fbftl.findings.uploads import READ, by_upload
from fbftl.ground.ring import WORD_BITS

COLUMNS = [
    Column("name", "Upload", page=True),
    EPSILON,
    Column("fraction_bits", "Bits behind the point", format="{:.0f}"),
    Column("bounded", "A sum is bounded", page=True),
    Column("largest_sum", "Bound", format="{:,.0f}", page=True),
    Column("ring_bits", "Bits of a number", format="{:.0f}", page=True),
    Column("saved", f"Saved of {WORD_BITS}", format=PERCENT, page=True),
    Column("bits_per_client", "Uplink per client", "bits", prefixed, page=True),
    *accuracy(),
    *SEED_COUNTS,
]

KEYS = ["setting", *READ, "epsilon", "fraction_bits"]

MEASURED = ["ring_bits", "largest_sum", "uplink_payload_bits", "upload_batches"]


def main(runs: str, axes: dict[str, Any]) -> ResultTable:
    """Return the table.

    Args:
        runs: tidy table of the experiment.
        axes: those of uploads, with their defaults.
    """
    return ResultTable(tabulated(read_tidy(runs, axes)), COLUMNS)


def tabulated(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each masked setting of a tidy table, in the order of messages and heads."""
    masked = runs[runs["aggregation"] != "open"]
    measured = masked.groupby("setting", sort=True)[MEASURED].mean().reset_index()
    rows = mean_and_spread(masked, KEYS).merge(measured, on="setting")
    order = {"epsilon": True, "fraction_bits": False}
    rows = rows.sort_values([*order], ascending=[*order.values()], na_position="first")
    rows = pd.concat(
        [of_upload.assign(name=upload.label) for upload, of_upload in by_upload(rows)],
        ignore_index=True,
    )
    return rows.assign(
        bounded=rows["largest_sum"].notna().map({True: "yes", False: "no: a whole word"}),
        saved=1 - rows["ring_bits"] / WORD_BITS,
        bits_per_client=rows["uplink_payload_bits"] / rows["upload_batches"],
    )
