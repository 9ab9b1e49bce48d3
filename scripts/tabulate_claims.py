"""Tabulate the paper's claims on a task: what was measured, and whether it agrees."""

from collections.abc import Sequence

import pandas as pd
from fbftl.findings.comparison import claims_table
from fbftl.findings.runs import all_runs, read_tidy
from fbftl.findings.tables import Column, write_table
from fbftl.ground.logs import run_job
from fbftl.papers.claims import Runs, claims


def readable(value: float) -> str:
    """Return points and epochs with two places, counts of bits without."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.2f}"


COLUMNS = [
    Column("claim", "Claim", width="6cm"),
    Column("source", "Paper"),
    Column("lesser_mean", "Smaller", format=readable),
    Column("lesser_spread", "±", format="{:.2f}"),
    Column("greater_mean", "Greater", format=readable),
    Column("greater_spread", "±", format="{:.2f}"),
    Column("greater_seeds", "Seeds", format="{:.0f}"),
    Column("verdict", "Verdict"),
]


def main(experiments: Sequence[str], methods: str | None, csv: str) -> None:
    """Write the table; the other formats go beside the csv.

    Args:
        experiments: tidy tables of all experiments of the task.
        methods: the task's table of methods, for what each sends, if there is one.
        csv: path of the csv.
    """
    uplink = {}
    if methods is not None:
        table = pd.read_csv(methods)
        uplink = dict(zip(table["method"], table["uplink_ledger"], strict=True))
    runs = Runs(all_runs(map(read_tidy, experiments)), uplink)
    write_table(csv, claims_table(claims(runs)), COLUMNS)


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(list(job.input.experiments), job.input.get("methods"), job.output.csv),
    )
