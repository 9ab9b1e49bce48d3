"""Tabulate what an adversary gets against epsilon: inversion, membership, label recovery."""

from collections.abc import Sequence

import pandas as pd
from fbftl.attacks.findings import read_findings
from fbftl.findings.columns import EPSILON
from fbftl.findings.tables import Column, ResultTable

COLUMNS = [
    Column("attack", "Attack", page=True),
    Column("method", "Method", page=True),
    Column("adversary", "Adversary", page=True),
    Column("samples_per_client", "K", "samples", "{:.0f}"),
    Column("mechanism", "Mechanism", page=True),
    Column("unit", "Protected"),
    EPSILON,
    Column("measure", "Measure", page=True),
    Column("value", "Attained", format="{:.3g}", page=True),
    Column("spread", "±", format="{:.2g}"),
    Column("blind", "Without the attack", format="{:.3g}", page=True),
    Column("repetitions", "n"),
]


def main(findings: Sequence[str]) -> ResultTable:
    """Return the table from the attacks' findings."""
    table = pd.concat([read_findings(path) for path in findings], ignore_index=True)
    return ResultTable(ordered(table), COLUMNS)


def ordered(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows attack by attack, no noise first, then from loose to strict epsilon."""
    unnoised = table["epsilon"].fillna(float("inf"))
    rank = table.assign(noise=-unnoised, place=table["attack"].map(first_places(table)))
    keys = ["place", "measure", "adversary", "samples_per_client", "noise"]
    return table.loc[rank.sort_values(keys, kind="stable").index]


def first_places(table: pd.DataFrame) -> dict[str, int]:
    """Return the order in which the attacks come."""
    return {attack: index for index, attack in enumerate(table["attack"].drop_duplicates())}
