"""Compose what a task's settings release of the same rows: each alone and all together."""

from collections.abc import Mapping, Sequence
from math import isinf
from typing import Any

import pandas as pd
from fbftl.findings.run_file import read_run, weakest_privacy
from fbftl.findings.runs import write_tidy
from fbftl.privacy.together import Released, costs


def main(
    runs: Sequence[str], together: Mapping[str, Sequence[str]], releases: Mapping[str, str],
    unprotected: Mapping[str, str], delta: float, client_rows: int, table: str,
) -> None:  # fmt: skip
    """Write a row per name, unit, neighbours and release, and one for the sum.

    Args:
        runs: run files of all settings that are named.
        together: names of settings that touch the same rows, by the name of their group.
        releases: what stands for the release of each, which are counted once if they are the same.
        unprotected: what settings send beside what their guarantees are for, of those that do.
        delta: delta of each release and of the sum.
        client_rows: rows of a client in the task's own partition.
        table: csv to write.
    """
    documents = list(map(read_run, runs))
    released = {
        document["name"]: release(
            document, releases[document["name"]], unprotected.get(document["name"])
        )
        for document in documents
    }
    rows: list[dict[str, Any]] = []
    for name, settings in together.items():
        for cost in costs([released[setting] for setting in settings], delta, client_rows):
            epsilon = cost.composed.epsilon
            rows.append(
                {
                    "name": name,
                    "unit": cost.unit,
                    "adjacency": cost.adjacency,
                    "release": cost.release,
                    "epsilon": None if isinf(epsilon) else epsilon,
                    "delta": delta,
                    "accountant": cost.composed.accountant,
                    "covers_labels": cost.covers_labels,
                    "note": cost.note,
                }
            )
    write_tidy(table, pd.DataFrame(rows))


def release(document: Mapping[str, Any], spelling: str, unprotected: str | None) -> Released:
    """Return the releases that a run file tells, those of its weakest repetition."""
    samples = document["setting"].get("samples_per_client")
    return Released(document["name"], weakest_privacy(document), samples, spelling, unprotected)
