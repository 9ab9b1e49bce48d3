"""Tabulate what papers print of one-shot rivals beside what was measured here, and what differs."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings.columns import REASON, SEEDS, VERDICT, accuracy
from fbftl.findings.comparison import Verdict
from fbftl.findings.printed import judged
from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.setups import Setup, differs
from fbftl.findings.tables import Column, ResultTable
from fbftl.findings.uploads import READ, by_upload

COLUMNS = [
    Column("setup", "Published on"),
    Column("name", "Upload"),
    Column("printed", "Published", "%"),
    Column("task", "Task"),
    *accuracy("Measured"),
    SEEDS,
    VERDICT,
    REASON,
    Column("source", "Source", width="5cm"),
]


def main(
    runs: Sequence[str], printed: str, setups: str,
    axes: dict[str, Any], tasks: Mapping[str, Setup],
) -> ResultTable:  # fmt: skip
    """Return the table.

    Args:
        runs: tidy tables of the uploads, one for each task.
        printed: the published accuracies.
        setups: the published setups.
        axes: those of uploads, with their defaults.
        tasks: setup of each task.
    """
    accuracies = pd.concat([measured(read_tidy(path, axes)) for path in runs], ignore_index=True)
    rows = published.read(printed).rename(columns={"unit": "printed_unit"})
    rows = rows[rows["quantity"] == "accuracy"].drop(columns="quantity")
    table = rows.merge(accuracies, on="name", how="left")
    parts = [
        part.assign(verdict=str(Verdict.NOT_RUN), reason="")
        if pd.isna(task)
        else judged(part, differs(tasks[task], setups, setup, "rivals"))
        for (task, setup), part in table.groupby(["task", "setup"], dropna=False)
    ]
    judgement = pd.concat(parts)[["verdict", "reason"]]
    return ResultTable(table.join(judgement), COLUMNS)


def measured(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean accuracy of every upload by its name, plain and open; a name tells bits."""
    plain = runs[runs["mechanism"].eq("none") & runs["aggregation"].eq("open")]
    rows = mean_and_spread(plain, ["task", *READ])
    return pd.concat(
        [upload_rows.assign(name=upload.label) for upload, upload_rows in by_upload(rows)]
    )
