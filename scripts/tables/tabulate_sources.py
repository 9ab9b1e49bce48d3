"""Tabulate an experiment under several source networks: which part of its spread is whose.

A row per setting, with the nested analysis of variance of its accuracy (`fbftl.findings.nested`):
both components as variances with standard errors, the one of sources below zero where it came out
so, and their roots, which are 0 there. A seed that diverged counts as 0 and is counted.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd
from fbftl.findings.columns import METHOD, PERCENT, SEED_COUNTS, TEST_SET, heading_of
from fbftl.findings.majority import MAJORITY, majority_share
from fbftl.findings.nested import components
from fbftl.findings.runs import read_tidy
from fbftl.findings.sampling_error import error_of, size_of_test_set
from fbftl.findings.shown import labelled
from fbftl.findings.tables import Column, ResultTable

SCORE = "test_accuracy"

POINTS = 100
"""Percentage points in 1."""


def in_points(variance: float) -> str:
    """Return a variance of shares as readers see it, in squared percentage points."""
    return f"{POINTS**2 * variance:.3g}"


UNIT = "points²"

COLUMNS = [
    Column("mean", "Accuracy", format=PERCENT),
    Column("error", "Standard error", format=PERCENT),
    Column("seeds_spread", "Spread of seeds", format="{:.2%}"),
    Column("sources_spread", "Spread of sources", format="{:.2%}"),
    Column("seeds_variance", "Variance of seeds", UNIT, in_points),
    Column("seeds_error", "Its standard error", UNIT, in_points),
    Column("sources_variance", "Variance of sources", UNIT, in_points),
    Column("sources_error", "Its standard error", UNIT, in_points),
    TEST_SET,
    MAJORITY,
    Column("sources", "Sources", format="{:.0f}"),
    *SEED_COUNTS,
]


def main(
    runs: list[str], clients: str,varying: Sequence[str], axes: dict[str, Any],
    methods: list[dict[str, Any]],
) -> ResultTable:  # fmt: skip
    """Return the table.

    Args:
        runs: the experiment's tidy table under each source, in their order.
        clients: the task's client file.
        varying: the axes that vary, in the order of the columns.
        axes: those of them that are not the method, with their defaults.
        methods: the methods of the runs.
    """
    table = tabulated([read_tidy(path, axes) for path in runs], varying)
    table = labelled(table, methods).assign(
        test_set_error=error_of(table["mean"], size_of_test_set(clients)),
        majority=majority_share(clients),
    )
    named = [
        METHOD if axis == "method" else Column(axis, heading_of(axis))
        for axis in varying or ["method"]
    ]
    return ResultTable(table, [*named, *COLUMNS])


def tabulated(by_source: Sequence[pd.DataFrame], varying: Sequence[str]) -> pd.DataFrame:
    """Return a row per setting: its axes, both components, and how many runs they are of.

    Args:
        by_source: the tidy table under each source.
        varying: the axes that vary.
    """
    runs = pd.concat([table.assign(source=source) for source, table in enumerate(by_source)])
    axes = list(dict.fromkeys(["method", *varying]))
    rows = []
    for setting, of_setting in runs.groupby("setting"):
        parts = components(
            [list(of_source[SCORE]) for _, of_source in of_setting.groupby("source")]
        )
        rows.append(
            {"setting": setting, **of_setting.iloc[0][axes]}
            | asdict(parts)
            | {"seeds_spread": parts.seeds_spread, "sources_spread": parts.sources_spread}
            | {"sources": len(by_source), "seeds": len(of_setting)}
            | {"diverged": int(of_setting["diverged"].sum())}
        )
    table = pd.DataFrame(rows)
    return table.sort_values(axes, na_position="first", ignore_index=True, kind="stable")
