"""Tabulate label privacy against samples per client: exact, truncated, published (Fig. 11)."""

from typing import Any

import pandas as pd
from fbftl.findings.columns import VERDICT
from fbftl.findings.printed import judged
from fbftl.findings.tables import Column, ResultTable
from fbftl.ground.csv_tables import read_table
from fbftl.privacy.label_privacy import batch_types

BITS = "{:.2f}"

NEAR_BITS = 0.01
"""Bits up to which two uncertainties count as equal."""

COLUMNS = [
    Column("UK", "UK", "samples", page=True),
    Column("K", "K", "samples", page=True),
    Column("U", "Clients U", page=True),
    Column("types", "Batch types"),
    Column("prior", "Before the query", "bits", BITS, page=True),
    Column("exact", "After, all types", "bits", BITS, page=True),
    Column("spread", "±", format="{:.3f}"),
    Column("truncated", "After, first U types", "bits", BITS, page=True),
    Column("published", "Published", "bits", BITS, page=True),
    VERDICT,
]


def main(numbers: str, setting: dict[str, Any]) -> ResultTable:
    """Return the table from the figure's numbers.

    Args:
        numbers: csv of the figure: series, UK, U, K, bits, spread.
        setting: `classes` (N) and `repetitions`, the draws behind every mean.
    """
    table = side_by_side(read_table(numbers), setting["classes"], setting["repetitions"])
    return ResultTable(table, COLUMNS)


def side_by_side(numbers: pd.DataFrame, classes: int, repetitions: int) -> pd.DataFrame:
    """Return a row per UK and K with the uncertainty computed each way, the published one judged.

    Draws of all clients take the part of seeds.
    """
    of = {name: rows.drop(columns="series") for name, rows in numbers.groupby("series")}
    table = of["exact"].rename(columns={"bits": "exact"})
    for name, column in (("truncated", "truncated"), ("published", "printed")):
        other = of[name][["UK", "K", "bits"]].rename(columns={"bits": column})
        table = table.merge(other, on=["UK", "K"], how="left")
    prior = of["prior"][["K", "bits"]].rename(columns={"bits": "prior"})
    table = table.merge(prior, on="K").astype({"UK": int, "U": int})
    table["types"] = [batch_types(classes, samples) for samples in table["K"]]
    table["printed"] = table["printed"].map(str, na_action="ignore")
    table = table.assign(seeds=repetitions, printed_unit="bit")
    judgement = judged(table, reason="", score="exact", band=NEAR_BITS)
    return judgement.drop(columns="reason").sort_values(["UK", "K"])
