"""Join the tidy tables of a study's shards row by row; memory grows with the names of settings."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from fbftl.ground.files import replacing
from fbftl.ground.logs import run_job


def main(tables: Sequence[str], series: Sequence[str], table: str, followed: str) -> None:
    """Write both tables of all shards; a setting that several shards have is in the first of them.

    Args:
        tables: tidy tables of the shards.
        series: their series, in the same order.
        table: where the tidy table goes.
        followed: where the series go.
    """
    for parts, joined in ((tables, table), (series, followed)):
        columns = list(dict.fromkeys(name for part in parts for name in header(part)))
        with replacing(joined) as path, open(path, "w", encoding="utf-8", newline="") as file:
            rows = csv.DictWriter(file, columns, restval="", lineterminator="\n")
            rows.writeheader()
            rows.writerows(new_rows(parts))


def header(table: str | Path) -> list[str]:
    """Return the columns of a table."""
    with open(table, encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


def new_rows(parts: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield the rows of the shards whose settings no earlier shard has."""
    known: set[str] = set()
    for part in parts:
        own = set()
        with open(part, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                own.add(row["setting"])
                if row["setting"] not in known:
                    yield row
        known |= own


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            list(job.input.tables), list(job.input.series), job.output.table, job.output.series
        ),
    )
