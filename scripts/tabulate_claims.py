"""Tabulate the paper's claims on a task: what was measured, and whether it agrees."""

from collections.abc import Sequence

import pandas as pd
from fbftl.findings.runs import all_runs, read_tidy
from fbftl.findings.tables import Column, write_table
from fbftl.ground.logs import run_job
from fbftl.papers.claims import Runs, claims_table, examine
from fbftl.papers.fbftl.claims import CLAIMS


def readable(value: float) -> str:
    """Return points and epochs with two places, counts of bits without."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.2f}"


COLUMNS = [
    Column("claim", "Claim", width="6cm"),
    Column("source", "Paper"),
    Column("test", "Test", width="4cm"),
    Column("lesser_mean", "First", format=readable),
    Column("lesser_spread", "±", format=readable),
    Column("greater_mean", "Second", format=readable),
    Column("greater_spread", "±", format=readable),
    Column("compared", "Compared", format=readable),
    Column("lower", "lower bound", format=readable),
    Column("upper", "upper bound", format=readable),
    Column("greater_seeds", "Seeds", format="{:.0f}"),
    Column("diverged", "Diverged"),
    Column("verdict", "Verdict"),
    Column("tested", "Claims tested"),
]


def main(experiments: Sequence[str], uplink: str | None, csv: str) -> None:
    """Write the table; the other formats go beside the csv.

    Args:
        experiments: tidy tables of all experiments of the task.
        uplink: what each method sends by seed, if the study compares them.
        csv: path of the csv.
    """
    sent = pd.DataFrame() if uplink is None else pd.read_csv(uplink)
    runs = Runs(all_runs(map(read_tidy, experiments)), sent)
    write_table(csv, claims_table(examine(CLAIMS, runs)), COLUMNS)


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(list(job.input.experiments), job.input.get("uplink"), job.output.csv),
    )
