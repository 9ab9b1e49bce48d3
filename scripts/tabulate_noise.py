"""Tabulate accuracy against the relative noise of the paper (Sec. V-B), drawn once or each epoch.

The guarantee column is empty, because this mechanism gives none; the footnote says why.
"""

from typing import Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings.printed import beside, judged
from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.setups import Setup, differs
from fbftl.findings.tables import Column, write_table
from fbftl.ground.logs import run_job
from fbftl.privacy.mechanisms import RELATIVE_NOTE, no_mechanism

PERCENT = "{:.1%}"

COLUMNS = [
    Column("method", "method"),
    Column("sigma", "noise σ", "R std(g)", "{:g}"),
    Column("noise", "drawn"),
    Column("accuracy", "accuracy", format=PERCENT),
    Column("spread", "±", format=PERCENT),
    Column("seeds", "seeds"),
    Column("diverged", "diverged"),
    Column("mechanism", "mechanism"),
    Column("guarantee", "guarantee"),
    Column("published", "published, CIFAR-10", format=PERCENT),
    Column("verdict", "verdict"),
    Column("reason", "not comparable for"),
    Column("footnote", "footnote", width="6cm"),
]


def main(
    runs: str, printed: str, setups: str, csv: str, axes: dict[str, Any], setup: Setup
) -> None:
    """Write the table; md and tex go beside the csv.

    Args:
        runs: tidy table of the experiment.
        printed: published values of the notebook's sweep.
        setups: the published setups.
        csv: the table to write.
        axes: those of the noise, with their defaults.
        setup: the task's.
    """
    reason = differs(setup, setups, "cifar10")
    table = beside_published(read_tidy(runs, axes), published.read(printed), reason)
    write_table(csv, table, COLUMNS)


def beside_published(runs: pd.DataFrame, printed: pd.DataFrame, reason: str) -> pd.DataFrame:
    """Return a row per method, sigma and way of drawing, with the notebook's accuracy, judged."""
    table = mean_and_spread(runs, ["method", "mechanism", "sigma", "noise"])
    table["sigma"] = table["sigma"].fillna(0.0)
    table = judged(beside(table, printed, ["method", "sigma"]), reason)
    noisy = table["mechanism"] == "relative"
    table["guarantee"] = pd.NA
    table["footnote"] = pd.Series(RELATIVE_NOTE, table.index).where(noisy, no_mechanism().note)
    return table.sort_values(["method", "sigma", "noise"])


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            job.input.runs,
            job.input.published,
            job.input.setups,
            job.output.csv,
            job.params.axes,
            job.params.setup,
        ),
    )
