"""The table of what a client should upload: each message under each codec, beside all others."""

from collections.abc import Mapping
from math import nan
from typing import Any

from fbftl.findings import tables as shared
from fbftl.findings.runs import read_tidy
from fbftl.findings.steps import Axes
from fbftl.findings.tables import Column, ResultTable, prefixed, three_digits
from fbftl.findings.upload_kinds import compared, written
from fbftl.models.cost.layers import multiplications, read_network


def four_digits(value: float) -> str:
    """Return a number with four digits, and whole from 1,000 on: uploads differ in their scales."""
    return three_digits(value) if value >= 1000 else f"{value:.4g}"


FRONT_COLUMNS = [
    Column("skew", "Label distribution", page=True),
    Column("samples_per_client", "K", "samples", "{:.0f}", page=True),
    Column("name", "Upload and head", format=written, page=True),
    Column("kilobytes", "Uplink per client", "kB", four_digits, page=True),
    *shared.accuracy(),
    Column("below_raw", "Accuracy below raw features", "points", shared.points, page=True),
    Column("cheapest", "Cheapest of its kind within one point", page=True),
    Column("pareto", "On the Pareto front", page=True),
    Column("downlink_kilobytes", "Downlink per client", "kB", three_digits),
    Column("multiplications", "Multiplications to extract, per client", format=prefixed),
    Column("revealed", "The server sees", width="5cm"),
    shared.SEEDS,
    shared.DIVERGED,
]


def front(runs: str, network: str, axes: Axes, client_block: Mapping[str, Any]) -> ResultTable:
    """Tabulate uploads among clients of one size and skew, the cheapest first.

    Readers see those first that are the cheapest of their kind within a point of raw features, then
    those on the Pareto front.

    Args:
        runs: tidy table of the experiment.
        network: the task's layers and its cut.
        axes: those of uploads, of their codec and of clients, with their defaults.
        client_block: the task's block `clients`.
    """
    of_task = read_network(network)
    # Vectors of the user's own come from an extractor that nobody counted.
    each = multiplications(of_task.extractor) or nan
    rows = compared(read_tidy(runs, axes), client_block, each)
    rows = rows.assign(width=of_task.feature_width, classes=of_task.layers[-1].outputs)
    first = rows.sort_values(["cheapest", "pareto", "skew"], ascending=False, kind="stable")
    return ResultTable(rows, FRONT_COLUMNS, first)
