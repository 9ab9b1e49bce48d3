"""Tabulate accuracy against epsilon of DP-SGD, with what the noise guarantees a sample.

The survey prints one accuracy with privacy and tells neither epsilon, sigma nor the clip norm, so
that it is beside every epsilon and compares with none.
"""

from pathlib import Path
from typing import Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings.columns import EPSILON, SEED_COUNTS, accuracy, judged_against
from fbftl.findings.printed import judged
from fbftl.findings.runs import read_tidy
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.tables import Column, ResultTable

NOT_REPORTED = "ε, σ, clip norm and δ are not told"

COLUMNS = [
    EPSILON,
    *accuracy(),
    *SEED_COUNTS,
    Column("sigma", "Noise σ", "c", "{:.3g}", page=True),
    Column("clip_norm", "Clip norm c", format="{:g}", page=True),
    Column("delta", "δ", format="{:.0e}"),
    Column("epsilon_added", "ε, sample added", format="{:.3g}", page=True),
    Column("epsilon_replaced", "ε, sample replaced", format="{:.3g}", page=True),
    Column("accountant", "Accountant"),
    *judged_against("MNIST"),
]


def main(runs: str, guarantees: str, printed: str | Path, axes: dict[str, Any]) -> ResultTable:
    """Return the table.

    Args:
        runs: tidy table of the experiment.
        guarantees: what its runs guarantee.
        printed: published accuracies.
        axes: the keys of a row, with their defaults.
    """
    table = mean_and_spread(read_tidy(runs, axes), ["mechanism", "epsilon"])
    all_guarantees = read_tidy(guarantees, axes)
    rows = [row | guaranteed(all_guarantees, row) for row in table.to_dict("records")]
    beside = beside_published(pd.DataFrame(rows), published.read(printed))
    return ResultTable(judged(beside, NOT_REPORTED), COLUMNS)


def guaranteed(guarantees: pd.DataFrame, row: dict[str, Any]) -> dict[str, Any]:
    """Return what a row's noise guarantees a sample, which is a client with one sample."""
    matching = guarantees[
        (guarantees["mechanism"] == row["mechanism"]) & (guarantees["epsilon"] == row["epsilon"])
    ]
    matching = matching[matching["unit"] == "client"].set_index("adjacency")
    columns = {"given_sigma": "sigma", "clip_norm": "clip_norm", "delta": "delta"}
    if matching.empty:
        names = (*columns.values(), "epsilon_added", "epsilon_replaced", "accountant")
        return dict.fromkeys(names)
    added = matching.loc["add-remove"]
    return (
        {name: added[column] for column, name in columns.items()}
        | {"epsilon_added": added["given_epsilon"], "accountant": added["given_accountant"]}
        | {"epsilon_replaced": matching.loc["replace-one", "given_epsilon"]}
    )


def beside_published(table: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Return the table with the accuracy that is printed without noise, or under some noise."""
    noise = table["mechanism"].map(lambda name: "none" if name == "none" else "dp")
    numbers = printed.set_index("noise")
    return table.assign(
        printed=noise.map(numbers["printed"]), printed_unit=noise.map(numbers["unit"])
    )
