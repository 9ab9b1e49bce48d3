"""Tabulate accuracy against the relative noise of the paper (Sec. V-B), drawn once or each epoch.

The guarantee column is empty, because this mechanism gives none; the footnote says why.
"""

from typing import Any

import pandas as pd
from fbftl.findings import published
from fbftl.findings.columns import SEED_COUNTS, TEST_SET, accuracy, judged_against
from fbftl.findings.printed import beside, judged
from fbftl.findings.runs import read_tidy
from fbftl.findings.sampling_error import error_of, size_of_test_set
from fbftl.findings.seeds import mean_and_spread
from fbftl.findings.setups import Setup, differs
from fbftl.findings.tables import Column, ResultTable
from fbftl.privacy.mechanisms import RELATIVE_NOTE, no_mechanism

COLUMNS = [
    Column("method", "Method", page=True),
    Column("sigma", "Noise σ", "R std(g)", "{:g}", page=True),
    Column("noise_draw", "Drawn", page=True),
    *accuracy(),
    TEST_SET,
    *SEED_COUNTS,
    Column("mechanism", "Mechanism", page=True),
    Column("guarantee", "Guarantee", page=True),
    *judged_against("CIFAR-10"),
    Column("footnote", "Footnote", width="6cm"),
]


def main(
    runs: str, clients: str, printed: str, setups: str, axes: dict[str, Any], setup: Setup
) -> ResultTable:
    """Return the table.

    Args:
        runs: tidy table of the experiment.
        clients: the task's client file.
        printed: published values of the notebook's sweep.
        setups: the published setups.
        axes: those of the noise, with their defaults.
        setup: the task's.
    """
    reason = differs(setup, setups, "cifar10")
    table = beside_published(read_tidy(runs, axes), published.read(printed), reason)
    test_set_error = error_of(table["accuracy"], size_of_test_set(clients))
    return ResultTable(table.assign(test_set_error=test_set_error), COLUMNS)


def beside_published(runs: pd.DataFrame, printed: pd.DataFrame, reason: str) -> pd.DataFrame:
    """Return a row per method, sigma and way of drawing, with the notebook's accuracy, judged."""
    table = mean_and_spread(runs, ["method", "mechanism", "sigma", "noise_draw"])
    table["sigma"] = table["sigma"].fillna(0.0)
    table = judged(beside(table, printed, ["method", "sigma"]), reason)
    noisy = table["mechanism"] == "relative"
    table["guarantee"] = pd.NA
    table["footnote"] = pd.Series(RELATIVE_NOTE, table.index).where(noisy, no_mechanism().note)
    return table.sort_values(["method", "sigma", "noise_draw"])
