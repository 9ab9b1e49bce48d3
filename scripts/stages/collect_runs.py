"""Collect an experiment's run files: a tidy table of what they measured, and what they followed."""

import csv
from collections.abc import Iterable, Iterator
from typing import Any

from fbftl.findings.run_file import read_run
from fbftl.findings.runs import FOLLOWED, followed, tidy, write_tidy
from fbftl.ground.files import replacing


def main(runs: list[str], table: str, series: str, axes: dict[str, Any]) -> None:
    """Write both tables.

    Args:
        runs: the run files.
        table: where the tidy table goes, a row per setting and seed.
        series: where learning curves go, a row per setting, seed, series and step.
        axes: the axes in which a run deviates, with their defaults.
    """
    with replacing(series) as path, open(path, "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(FOLLOWED)
        write_tidy(table, tidy(passing(map(read_run, runs), rows), axes))


def passing(documents: Iterable[dict[str, Any]], rows: Any) -> Iterator[dict[str, Any]]:
    """Yield run files' documents, the series of each written, so that one is held at a time."""
    for document in documents:
        rows.writerows(followed(document))
        yield document
