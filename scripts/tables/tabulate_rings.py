"""Tabulate the bits that masked numbers need: of the smallest ring of a sum, beside a whole word.

Where nothing bounds a sum there is no smaller ring, and the row says so.
"""

from typing import Any

import pandas as pd
from fbftl.findings.columns import EPSILON, PERCENT, SEED_COUNTS, accuracy
from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.tables import Column, prefixed, write_table
from fbftl.findings.uploads import READ, by_upload
from fbftl.ground.ring import WORD_BITS

COLUMNS = [
    Column("name", "Upload"),
    EPSILON,
    Column("fraction_bits", "Bits behind the point", format="{:.0f}"),
    Column("bounded", "A sum is bounded"),
    Column("largest_sum", "Bound", format="{:,.0f}"),
    Column("ring_bits", "Bits of a number", format="{:.0f}"),
    Column("saved", f"Saved of {WORD_BITS}", format=PERCENT),
    Column("bits_per_client", "Uplink per client", "bits", prefixed),
    *accuracy(),
    *SEED_COUNTS,
]

KEYS = ["setting", *READ, "epsilon", "fraction_bits"]

MEASURED = ["ring_bits", "largest_sum", "uplink_payload_bits", "upload_batches"]


ON_PAGE = (
    "name",
    "epsilon",
    "bounded",
    "largest_sum",
    "ring_bits",
    "saved",
    "bits_per_client",
    "accuracy",
)
"""Columns that the page shows; the csv has all."""


def main(runs: str, csv: str, axes: dict[str, Any]) -> None:
    """Write the table; the other formats go beside the csv.

    Args:
        runs: tidy table of the experiment.
        csv: path of the csv.
        axes: those of uploads, with their defaults.
    """
    write_table(csv, tabulated(read_tidy(runs, axes)), COLUMNS, ON_PAGE)


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
