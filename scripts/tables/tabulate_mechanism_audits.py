"""Tabulate audits: mechanisms as they are, broken on purpose, and whole trainings beside.

Stated is the epsilon of the guarantee. What a test allows and what an attack proves are both an
epsilon that the audited code cannot have less than.
"""

from typing import Any

import pandas as pd
from fbftl.attacks.audits.trial import RIGHT
from fbftl.findings.columns import EPSILON
from fbftl.findings.runs import read_tidy
from fbftl.findings.shown import shown
from fbftl.findings.tables import Column, write_table
from fbftl.ground.binding import run_by_name

TEST = "test of the mechanism"

COLUMNS = [
    Column("audited", "Audited"),
    Column("neighbours", "Neighbours"),
    Column("fault", "Fault"),
    EPSILON,
    Column("audit", "Audit"),
    Column("pairs", "Pairs", format="{:,.0f}"),
    Column("least", "ε is at least", format="{:.3g}"),
    Column("exceeds", "Exceeds what is stated", format=lambda exceeds: "yes" if exceeds else ""),
]


def main(mechanisms: str, trainings: str, csv: str, methods: list[dict[str, Any]]) -> None:
    """Write the table; md and tex go beside the csv.

    Args:
        mechanisms: what tests of mechanisms found.
        trainings: what audits of whole trainings proved.
        csv: the table to write.
        methods: the methods whose trainings are audited, with their labels.
    """
    tests = read_tidy(mechanisms).rename(columns={"mechanism": "audited"}).assign(audit=TEST)
    labels = {name: look.label for name, look in shown(methods).items()}
    proven = read_tidy(trainings).assign(fault=RIGHT)
    proven["audited"] = "training: " + proven["method"].map(labels) + ", " + proven["mechanism"]
    tests["training"], proven["training"] = False, True
    table = pd.concat([tests, proven], ignore_index=True)
    table["exceeds"] = table["least"] > table["epsilon"]
    columns = [column.name for column in COLUMNS]
    write_table(csv, table[[*columns, "training"]], COLUMNS)


if __name__ == "__main__":
    run_by_name(snakemake, main)
