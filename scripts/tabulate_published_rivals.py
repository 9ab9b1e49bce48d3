"""Tabulate what papers print of one-shot rivals beside what was measured here, and what differs."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings.comparison import Verdict
from fbftl.findings.printed import judged
from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.setups import Setup, differs
from fbftl.findings.tables import Column, write_table
from fbftl.findings.uploads import READ, by_upload
from fbftl.ground.logs import run_job

COLUMNS = [
    Column("setup", "Published on"),
    Column("name", "Upload"),
    Column("printed", "Printed", "%"),
    Column("task", "Task"),
    Column("accuracy", "Measured", format="{:.1%}"),
    Column("spread", "±", format="{:.1%}"),
    Column("seeds", "Seeds", format="{:.0f}"),
    Column("verdict", "Verdict"),
    Column("reason", "Not comparable for"),
    Column("source", "Source", width="5cm"),
]


def main(
    tables: Sequence[str], printed: str, setups: str, csv: str,
    axes: dict[str, Any], tasks: Mapping[str, Setup],
) -> None:  # fmt: skip
    """Write the table; the other formats go beside the csv.

    Args:
        tables: tidy tables of the uploads, one for each task.
        printed: the published accuracies.
        setups: the published setups.
        csv: path of the csv.
        axes: those of uploads, with their defaults.
        tasks: setup of each task.
    """
    found = pd.concat([measured(read_tidy(path, axes)) for path in tables], ignore_index=True)
    rows = published.read(printed).rename(columns={"unit": "printed_unit"})
    rows = rows[rows["quantity"] == "accuracy"].drop(columns="quantity")
    table = rows.merge(found, on="name", how="left")
    parts = [
        own.assign(verdict=str(Verdict.NOT_RUN), reason="")
        if pd.isna(task)
        else judged(own, differs(tasks[task], setups, setup, "rivals"))
        for (task, setup), own in table.groupby(["task", "setup"], dropna=False)
    ]
    judgement = pd.concat(parts)[["verdict", "reason"]]
    write_table(csv, table.join(judgement), COLUMNS)


def measured(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean accuracy of every upload by its name, plain and open; a name tells bits."""
    plain = runs[runs["mechanism"].eq("none") & runs["aggregation"].eq("open")]
    rows = mean_and_spread(plain, ["task", *READ])
    return pd.concat([own.assign(name=upload.label) for upload, own in by_upload(rows)])


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            list(job.input.runs),
            job.input.printed,
            job.input.setups,
            job.output.csv,
            job.params.axes,
            job.params.tasks,
        ),
    )
