"""Join the tidy tables of a study's shards row by row; memory grows with the names of settings."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from fbftl.ground.binding import run_by_name
from fbftl.ground.files import replacing


def main(tables: Sequence[str], curves: Sequence[str], table: str, series: str) -> None:
    """Write both tables of all shards; a setting that several shards have is in the first of them.

    Args:
        tables: tidy tables of the shards.
        curves: their series, in the same order.
        table: where the tidy table goes.
        series: where the series go.
    """
    for parts, joined in ((tables, table), (curves, series)):
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
    seen: set[str] = set()
    for part in parts:
        of_part = set()
        with open(part, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                of_part.add(row["setting"])
                if row["setting"] not in seen:
                    yield row
        seen |= of_part


if __name__ == "__main__":
    run_by_name(snakemake, main)
