"""Tabulate what each method sends and how well it summarises: Table IV's rows for a task."""

from typing import Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings.printed import beside, judged
from fbftl.findings.runs import read_tidy
from fbftl.findings.setups import Setup, differs
from fbftl.findings.shown import shown
from fbftl.findings.tables import Column, prefixed, write_table
from fbftl.ground.logs import run_job

ROUGE = {"rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougeL": "ROUGE-L"}

COUNTED = [
    "upload_batches",
    "numbers_per_batch",
    "uplink_payload_bits",
    "uplink_bits",
    "downlink_bits",
    "token_id_bits",
]
"""Means over seeds; the numbers of gradient methods differ with the epoch that each seed chose."""

COLUMNS = [
    Column("label", "method"),
    Column("trained_encoders", "trained encoders", "blocks"),
    Column("upload_batches", "upload batches", format="{:,.0f}"),
    Column("numbers_per_batch", "numbers per batch, as counted", format="{:,.0f}"),
    Column("uplink_payload_bits", "uplink, as counted", "bit", prefixed),
    Column("uplink_bits", "uplink, as sent", "bit", prefixed),
    Column("uplink_bits_spread", "±", "bit", prefixed),
    Column("token_id_bits", "uplink, as plain token ids", "bit", prefixed),
    Column("downlink_bits", "downlink", "bit", prefixed),
    Column("downlink_bits_spread", "±", "bit", prefixed),
    *(
        column
        for name, heading in ROUGE.items()
        for column in (
            Column(name, heading, format="{:.1f}"),
            Column(f"{name}_spread", "±", format="{:.1f}"),
        )
    ),
    Column("seeds", "seeds"),
    Column("diverged", "diverged"),
    Column("published", "ROUGE-1 in the paper, SAMSum", format="{:.1f}"),
    Column("verdict", "verdict"),
    Column("reason", "not comparable for"),
]


def main(
    runs: str, table4: str, setups: str, csv: str, methods: list[dict[str, Any]], setup: Setup
) -> None:
    """Write the table from an experiment's tidy table; md and tex go beside the csv.

    *As counted* is the paper's way: for FbFTL one vector per dialogue, whatever its length (audit
    row A8). *As sent* is the length of the encoded messages. *As plain token ids* is what sending
    the dialogue itself would take, where features are a look-up of it (A18).

    Args:
        runs: the tidy table.
        table4: the published table, which is of SAMSum.
        setups: the published setups.
        csv: the table to write.
        methods: the methods, in the order of the rows.
        setup: the task's.
    """
    labels = {name: method.label for name, method in shown(methods).items()}
    table = by_method(read_tidy(runs), list(labels))
    table = beside_published(table, published.read(table4), differs(setup, setups, "samsum"))
    write_table(csv, table.assign(label=table["method"].map(labels)), COLUMNS)


def by_method(runs: pd.DataFrame, methods: list[str]) -> pd.DataFrame:
    """Return a row per method and number of trained encoders, most trained first."""
    groups = runs.groupby(["method", "trained_encoders"])
    measured = [*COUNTED, *ROUGE]
    table = groups[measured].mean().join(groups[measured].std().add_suffix("_spread"))
    table = table.assign(seeds=groups["seed"].nunique(), diverged=groups["diverged"].sum())
    order = {name: place for place, name in enumerate(methods)}
    return table.reset_index().sort_values(
        ["trained_encoders", "method"],
        ascending=[False, True],
        key=lambda column: column.map(order) if column.name == "method" else column,
        ignore_index=True,
    )


def beside_published(table: pd.DataFrame, table4: pd.DataFrame, reason: str) -> pd.DataFrame:
    """Add the published ROUGE-1 of the same method and trained encoders, judged."""
    numbers = table4[table4["quantity"] == "rouge1"]
    joined = beside(table, numbers, ["method", "trained_encoders"])
    judgement = judged(joined.assign(spread=joined["rouge1_spread"]), reason, score="rouge1")
    return judgement.drop(columns="spread")


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            job.input.runs,
            job.input.table4,
            job.input.setups,
            job.output.csv,
            job.params.methods,
            job.params.setup,
        ),
    )
