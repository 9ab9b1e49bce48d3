"""Tabulate what each method sends and how well it summarises: Table IV's rows for a task."""

from typing import Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings.columns import FROZEN, METHOD, SEED_COUNTS, judged_against, with_spread
from fbftl.findings.printed import beside, judged
from fbftl.findings.runs import read_tidy
from fbftl.findings.setups import Setup, differs
from fbftl.findings.shown import labelled
from fbftl.findings.tables import Column, ResultTable, prefixed

ROUGE = {"rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougeL": "ROUGE-L"}

COUNTED = [
    "upload_batches",
    "numbers_per_batch",
    "uplink_payload_bits",
    "uplink_bits",
    "downlink_bits",
    "frozen_bits",
    "token_id_bits",
]
"""Means over seeds; the numbers of gradient methods differ with the epoch that each seed chose."""

COLUMNS = [
    METHOD,
    Column("trained_encoders", "Trained encoders", "blocks", page=True),
    Column("upload_batches", "Upload batches", format="{:,.0f}"),
    Column("numbers_per_batch", "Numbers per batch, as counted", format="{:,.0f}"),
    Column("uplink_payload_bits", "Uplink, as counted", "bit", prefixed, page=True),
    *with_spread("uplink_bits", "Uplink, as sent", "bit", prefixed, page=True),
    Column("token_id_bits", "Uplink, as plain token ids", "bit", prefixed),
    *with_spread("downlink_bits", "Downlink", "bit", prefixed, page=True),
    FROZEN,
    *(
        column
        for name, heading in ROUGE.items()
        for column in with_spread(name, heading, format="{:.1f}", page=name == "rouge1")
    ),
    *SEED_COUNTS,
    *judged_against("SAMSum", "Published ROUGE-1", "{:.1f}"),
]


def main(
    runs: str, table4: str, setups: str, methods: list[dict[str, Any]], setup: Setup
) -> ResultTable:
    """Return the table from an experiment's tidy table.

    *As counted* is the paper's way: for FbFTL one vector per dialogue, whatever its length (audit
    row A8). *As sent* is the length of the encoded messages. *As plain token ids* is what sending
    the dialogue itself would take, where features are a look-up of it (A18).

    Args:
        runs: the tidy table.
        table4: the published table, which is of SAMSum.
        setups: the published setups.
        methods: the methods, in the order of the rows.
        setup: the task's.
    """
    reason = differs(setup, setups, "samsum")
    table = beside_published(by_method(read_tidy(runs)), published.read(table4), reason)
    by = ["trained_encoders", "method"]
    return ResultTable(labelled(table, methods, by, [False, True]), COLUMNS)


def by_method(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per method and number of trained encoders."""
    groups = runs.groupby(["method", "trained_encoders"])
    measured = [*COUNTED, *ROUGE]
    table = groups[measured].mean().join(groups[measured].std().add_suffix("_spread"))
    table = table.assign(seeds=groups["seed"].nunique(), diverged=groups["diverged"].sum())
    return table.reset_index()


def beside_published(table: pd.DataFrame, table4: pd.DataFrame, reason: str) -> pd.DataFrame:
    """Add the published ROUGE-1 of the same method and trained encoders, judged."""
    numbers = table4[table4["quantity"] == "rouge1"]
    joined = beside(table, numbers, ["method", "trained_encoders"])
    judgement = judged(joined.assign(spread=joined["rouge1_spread"]), reason, score="rouge1")
    return judgement.drop(columns="spread")
