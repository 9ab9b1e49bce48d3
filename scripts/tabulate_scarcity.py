"""Tabulate accuracy against data fraction and packet loss rate under both loss semantics."""

import pandas as pd
from fbftl.logs import run_job
from fbftl.runs import mean_and_spread, read_tidy
from fbftl.tables import Column, write_table

PERCENT = "{:.1%}"

COLUMNS = [
    Column("fraction", "clients", format="{:g}"),
    Column("plr", "PLR", format="{:g}"),
    Column("offered", "sent", "samples", "{:.0f}"),
    Column("received", "received", "samples", "{:.0f}"),
    Column("accuracy", "lost for good", format=PERCENT),
    Column("spread", "±", format=PERCENT),
    Column("accuracy_reshuffled", "reshuffled", format=PERCENT),
    Column("spread_reshuffled", "±", format=PERCENT),
    Column("seen_reshuffled", "seen when reshuffled", "samples", "{:.0f}"),
    Column("difference", "difference", format="{:+.1%}"),
    Column("seeds", "seeds"),
]


def main(runs: str, csv: str) -> None:
    """Write the table from an experiment's tidy table; md and tex go beside the csv."""
    write_table(csv, side_by_side(read_tidy(runs)), COLUMNS)


def side_by_side(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row per fraction and packet loss rate.

    The difference is the accuracy that the public script's reshuffling adds to a loss that is
    for good (audit row A2).
    """
    keys = ["fraction", "plr"]
    table = mean_and_spread(runs, [*keys, "loss"])
    lost = table[table["loss"] == "persistent"].drop(columns="loss")
    shuffled = table[table["loss"] == "reshuffled"][[*keys, "accuracy", "spread", "seen"]]
    both = lost.merge(shuffled, on=keys, how="left", suffixes=("", "_reshuffled"))
    both["difference"] = both["accuracy_reshuffled"] - both["accuracy"]
    return both.sort_values(keys, ascending=[False, True])


if __name__ == "__main__":
    run_job(snakemake, lambda job: main(job.input.runs, job.output.csv))
