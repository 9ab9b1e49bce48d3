"""Tabulate what each method sends and how well it summarises: Table IV's rows for a task."""

from typing import Any

import pandas as pd
from fbftl.findings.runs import read_tidy
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
    Column("token_id_bits", "uplink, as plain token ids", "bit", prefixed),
    Column("downlink_bits", "downlink", "bit", prefixed),
    *(
        column
        for name, heading in ROUGE.items()
        for column in (
            Column(name, heading, format="{:.1f}"),
            Column(f"{name}_spread", "±", format="{:.1f}"),
        )
    ),
    Column("seeds", "seeds"),
]


def main(runs: str, csv: str, methods: list[dict[str, Any]]) -> None:
    """Write the table from an experiment's tidy table; md and tex go beside the csv.

    *As counted* is the paper's way: for FbFTL one vector per dialogue, whatever its length (audit
    row A8). *As sent* is the length of the encoded messages. *As plain token ids* is what sending
    the dialogue itself would take, where features are a look-up of it (A18). Methods stand in the
    order of `methods`, which has what is written of each.
    """
    labels = {name: method.label for name, method in shown(methods).items()}
    table = by_method(read_tidy(runs), list(labels))
    write_table(csv, table.assign(label=table["method"].map(labels)), COLUMNS)


def by_method(runs: pd.DataFrame, methods: list[str]) -> pd.DataFrame:
    """Return a row per method and number of trained encoders, most trained first."""
    groups = runs.groupby(["method", "trained_encoders"])
    table = groups[[*COUNTED, *ROUGE]].mean()
    spreads = groups[list(ROUGE)].std().add_suffix("_spread")
    table = table.join(spreads).assign(seeds=groups["seed"].nunique()).reset_index()
    order = {name: place for place, name in enumerate(methods)}
    return table.sort_values(
        ["trained_encoders", "method"],
        ascending=[False, True],
        key=lambda column: column.map(order) if column.name == "method" else column,
        ignore_index=True,
    )


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(job.input.runs, job.output.csv, job.params.methods))
