"""Tabulate a paper's claims on every task: what was measured, and whether it agrees."""

from collections import defaultdict
from collections.abc import Sequence
from importlib import import_module

import pandas as pd
from fbftl.findings.runs import all_runs, read_tidy
from fbftl.findings.tables import Column, write_table
from fbftl.ground.logs import run_job
from fbftl.papers.claims import Runs, claims_table, examine


def readable(value: float) -> str:
    """Return points and epochs with two places, counts of bits without."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.2f}"


COLUMNS = [
    Column("claim", "Claim", width="6cm"),
    Column("task", "Task"),
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


def main(paper: str, experiments: Sequence[str], uplinks: Sequence[str], csv: str) -> None:
    """Write the table; the other formats go beside the csv.

    Args:
        paper: its word; `fbftl.papers.<paper>.claims` has its `CLAIMS`.
        experiments: tidy tables of the paper's experiments on all tasks.
        uplinks: what each method sends by seed, a table for each task that compares them.
        csv: path of the csv.
    """
    claims = import_module(f"fbftl.papers.{paper}.claims").CLAIMS
    by_task = defaultdict(list)
    for table in map(read_tidy, experiments):
        by_task[table["task"].iloc[0]].append(table)
    sent = {table["task"].iloc[0]: table for table in map(read_tidy, uplinks)}
    found = {
        task: examine(claims, Runs(all_runs(tables), sent.get(task, pd.DataFrame())))
        for task, tables in by_task.items()
    }
    write_table(csv, claims_table(found), COLUMNS)


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            job.wildcards.paper,
            list(job.input.experiments),
            list(job.input.uplinks),
            job.output.csv,
        ),
    )
