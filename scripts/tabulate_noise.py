"""Tabulate accuracy against the relative noise of the paper (Sec. V-B), drawn once or each epoch.

The guarantee column is empty, because this mechanism gives none; the footnote says why.
"""

from typing import Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
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
    Column("mechanism", "mechanism"),
    Column("guarantee", "guarantee"),
    Column("published", "published, CIFAR-10", format=PERCENT),
    Column("footnote", "footnote", width="6cm"),
]


def main(runs: str, printed: str, csv: str, axes: dict[str, Any]) -> None:
    """Write the table; md and tex go beside the csv.

    Args:
        runs: tidy table of the experiment.
        printed: published values of the notebook's sweep.
        csv: the table to write.
        axes: those of the noise, with their defaults.
    """
    write_table(csv, beside_published(read_tidy(runs, axes), published.read(printed)), COLUMNS)


def beside_published(runs: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Return a row per method, sigma and way of drawing, with the notebook's accuracy."""
    table = mean_and_spread(runs, ["method", "mechanism", "sigma", "noise"])
    table["sigma"] = table["sigma"].fillna(0.0)
    numbers = printed[["method", "sigma"]].assign(published=printed["printed"].astype(float))
    table = table.merge(numbers, on=["method", "sigma"], how="left")
    noisy = table["mechanism"] == "relative"
    table["guarantee"] = pd.NA
    table["footnote"] = pd.Series(RELATIVE_NOTE, table.index).where(noisy, no_mechanism().note)
    return table.sort_values(["method", "sigma", "noise"])


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(job.input.runs, job.input.published, job.output.csv, job.params.axes),
    )
