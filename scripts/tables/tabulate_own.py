"""Tables of experiments of one's own: by the axes that vary, and by source networks.

Each function returns one.
"""

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
from fbftl.findings import tables as shared
from fbftl.findings.runs import by_setting, mean_and_spread, read_tidy
from fbftl.findings.sampling_error import components, with_test_set
from fbftl.findings.shown import labelled
from fbftl.findings.steps import Axes, Methods, Paths
from fbftl.findings.tables import Column, ResultTable, prefixed
from fbftl.ground.errors import UserError

# --- sweep ----------------------------------------------------------------------------------------

SCORES = {
    "test_accuracy": ("Accuracy", "{:.2%}", ""),
    "balanced_accuracy": ("Balanced accuracy", "{:.2%}", ""),
    "rouge1": ("ROUGE-1", "{:.2f}", "%"),
}
"""What runs are judged by, with heading, format and unit: the first that they measured."""


def sweep(
    runs: str, clients: str, given: Sequence[str], axes: Axes,
    methods: Methods, lacking: dict[str, list[str]],
) -> ResultTable:  # fmt: skip
    """Tabulate an experiment of one's own: mean and spread over seeds, a row per setting.

    Its columns are the axes that the experiment gives, blank where a method does not have the axis;
    a page says once what all rows share. Everything else is in the tidy table. Beside an accuracy
    is what always answering the most frequent class scores.

    Args:
        runs: the experiment's tidy table.
        clients: the task's client file.
        given: the axes in which a setting deviates, those that vary first.
        axes: those of them that are not the method, with their defaults.
        methods: the methods of the runs.
        lacking: by axis the methods that do not have it.
    """
    found = read_tidy(runs, axes)
    for axis in lacking.keys() & set(given):
        found[axis] = found[axis].mask(found["method"].isin(lacking[axis]))
    score, table = swept(found, list(given))
    table = labelled(table, methods)
    if score == "test_accuracy":
        table = with_test_set(table, clients, accuracy=score, majority=True)
    return ResultTable(table, sweep_columns(score, given))


def swept(runs: pd.DataFrame, varying: Sequence[str]) -> tuple[str, pd.DataFrame]:
    """Return the score, and a row per setting.

    Columns: setting, method, the axes that vary, the score and its `spread`, `seeds`, `diverged`
    and, where messages are sent, `uplink_bits` of all clients in the mean over seeds.

    Raises:
        UserError: if the runs measured none of the scores.
    """
    measured = [name for name in SCORES if name in runs and runs[name].notna().any()]
    if not measured:
        raise UserError(
            f"the experiment's runs measured none of {', '.join(SCORES)}, so that there is nothing "
            "to tabulate; ask for its tidy table, experiments/{name}.csv, alone"
        )
    axes = list(dict.fromkeys(["method", *varying]))
    sent = [name for name in ("uplink_bits",) if name in runs]
    table = mean_and_spread(runs, ["setting", *axes], measured[0], measured[0], sent)
    table = table.sort_values(axes, na_position="first", ignore_index=True, kind="stable")
    kept = ["setting", *axes, measured[0], "spread", "seeds", "diverged", *sent]
    return measured[0], table[kept]


def axis_columns(varying: Sequence[str], form: Callable[[Any], str] | str = "{}") -> list[Column]:
    """Return the columns of the axes that vary, or of the method alone."""
    return [
        shared.METHOD if axis == "method" else Column(axis, shared.heading_of(axis), format=form)
        for axis in varying or ["method"]
    ]


def sweep_columns(score: str, varying: Sequence[str]) -> list[Column]:
    """Return what readers see: the axes that vary, or the method alone, then what came out."""
    heading, form, unit = SCORES[score]
    return [
        # Whole numbers that stand beside missing ones stay whole.
        *axis_columns(varying, lambda of: f"{of:g}" if isinstance(of, float) else str(of)),
        *shared.with_spread(score, heading, unit, form, spread="spread", page=True),
        *([shared.TEST_SET, shared.MAJORITY] if score == "test_accuracy" else []),
        Column("uplink_bits", "Uplink of all clients", "bits", prefixed),
        *shared.SEED_COUNTS,
    ]


# --- sources --------------------------------------------------------------------------------------

SCORE = "test_accuracy"

POINTS = 100
"""Percentage points in 1."""


def in_points(variance: float) -> str:
    """Return a variance of shares as readers see it, in squared percentage points."""
    return f"{POINTS**2 * variance:.3g}"


UNIT = "points²"

SOURCES_COLUMNS = [
    Column("mean", "Accuracy", format=shared.PERCENT),
    Column("error", "Standard error", format=shared.PERCENT),
    Column("seeds_spread", "Spread of seeds", format="{:.2%}"),
    Column("sources_spread", "Spread of sources", format="{:.2%}"),
    Column("seeds_variance", "Variance of seeds", UNIT, in_points),
    Column("seeds_error", "Its standard error", UNIT, in_points),
    Column("sources_variance", "Variance of sources", UNIT, in_points),
    Column("sources_error", "Its standard error", UNIT, in_points),
    shared.TEST_SET,
    shared.MAJORITY,
    Column("sources", "Sources", format="{:.0f}"),
    *shared.SEED_COUNTS,
]


def sources(
    runs: Paths, clients: str, varying: Sequence[str], axes: Axes, methods: Methods
) -> ResultTable:
    """Tabulate an experiment under several source networks: which part of its spread is whose.

    A row per setting, with the nested analysis of variance of its accuracy
    (`fbftl.findings.sampling_error`): both components as variances with standard errors, that of
    sources below zero where it came out so, and their roots, which are 0 there. A seed that
    diverged counts as 0 and is counted.

    Args:
        runs: the experiment's tidy table under each source, in their order.
        clients: the task's client file.
        varying: the axes that vary, in the order of the columns.
        axes: those of them that are not the method, with their defaults.
        methods: the methods of the runs.
    """
    table = sources_table([read_tidy(path, axes) for path in runs], varying)
    table = with_test_set(labelled(table, methods), clients, accuracy="mean", majority=True)
    return ResultTable(table, [*axis_columns(varying), *SOURCES_COLUMNS])


def sources_table(by_source: Sequence[pd.DataFrame], varying: Sequence[str]) -> pd.DataFrame:
    """Return a row per setting: its axes, both components, and how many runs they are of.

    Args:
        by_source: the tidy table under each source.
        varying: the axes that vary.
    """
    runs = pd.concat([table.assign(source=source) for source, table in enumerate(by_source)])
    axes = list(dict.fromkeys(["method", *varying]))
    scores = runs.groupby(["setting", "source"])[SCORE].agg(list).groupby("setting").agg(list)
    parts = pd.DataFrame(list(map(components, scores)), scores.index)
    table = by_setting(runs, axes, {}).merge(parts.reset_index(), on="setting")
    table["sources"] = len(by_source)
    return table.sort_values(axes, na_position="first", ignore_index=True, kind="stable")
