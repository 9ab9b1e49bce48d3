"""Tabulate after how many epochs each seed of DP-SGD and of its clean run reaches accuracies."""

from collections.abc import Mapping, Sequence

import pandas as pd
from fbftl.findings.paces import epochs_to
from fbftl.findings.runs import read_tidy
from fbftl.findings.tables import Column, ResultTable

ACCURACIES = (50, 60, 70, 75, 80, 90)
"""Percentages that curves are read at."""

COLUMNS = [
    Column("setting", "Setting"),
    Column("seed", "Seed", format="{:.0f}"),
    *(Column(f"epochs_to_{at}", f"Epochs to {at} %", format="{:.2f}") for at in ACCURACIES),
]


def main(series: str) -> ResultTable:
    """Return the table.

    Args:
        series: learning curves of the experiment.
    """
    curves = read_tidy(series)
    curves = curves[curves["series"] == "test_accuracy"].sort_values("step")
    rows = [
        dict(zip(("task", "setting", "seed"), name, strict=True)) | paces(list(curve["value"]))
        for name, curve in curves.groupby(["task", "setting", "seed"])
    ]
    return ResultTable(pd.DataFrame(rows), COLUMNS)


def paces(accuracies: Sequence[float]) -> Mapping[str, float]:
    """Return after how many epochs a curve reaches each percentage."""
    return {f"epochs_to_{at}": epochs_to(accuracies, at / 100) for at in ACCURACIES}
